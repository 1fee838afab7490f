/** Draws the pictures of a report. The entries of a legend are buttons, each of which hides a curve in all of them. */

for (const source of document.querySelectorAll("script.pictures")) {
  const pictures = JSON.parse(source.textContent, (_, value) => (value === "inf" ? Infinity : value));
  const hidden = new Set();
  const redraws = [];
  const figures = pictures.map(({ name, title, series, ...picture }) => {
    const plot = el("div", { className: "plot" });
    redraws.push(() => draw(plot,
      { ...picture, label: `${title}; the numbers are in the tables`, series: series.filter(({ label }) => !hidden.has(label)) }));
    return el("figure", { dataset: { panel: name } }, el("figcaption", {}, el("h3", {}, title)), plot);
  });
  const curves = pictures.flatMap(({ series }) => series);
  const first = curves.filter(({ label }, i) => curves.findIndex((curve) => curve.label === label) === i);
  const legend = first.map((curve) => {
    const entry = legendEntry(curve);
    const button = el("button", { type: "button", className: "key", "aria-pressed": "true", onclick: () => {
      if (!hidden.delete(curve.label)) hidden.add(curve.label);
      button.setAttribute("aria-pressed", String(!hidden.has(curve.label)));
      for (const redraw of redraws) redraw();
    } }, ...entry.childNodes);
    entry.append(button);
    return entry;
  });
  source.after(el("ul", { className: "legend", "aria-label": "Curves" }, legend), el("div", { className: "charts" }, figures));
  for (const redraw of redraws) redraw();
}
