/**
 * Makes the curves of a report interactive. Without it the report shows the same curves as pictures; so does paper.
 *
 * All texts come from the results, which may be anybody's: none of them is ever taken for markup.
 */
(() => {
  "use strict";

  const charts = JSON.parse(document.getElementById("charts").textContent);
  const COLOURS = 6;
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const MARKERS = ["circle", "square", "diamond", "triangle-up"];
  const PLACES = { "": null, above: "triangle-up-open", below: "triangle-down-open", lost: "x-thin-open" };
  const hidden = new Map([...document.querySelectorAll("section")].map((section) => [section, new Set()]));

  /** A text that plotly shows as it is: nothing in it is markup. */
  const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const property = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const colourOf = (look) => property(`c${look % COLOURS}`);
  const group = (look) => Math.floor(look / COLOURS) % DASHES.length;
  const faint = (hex, opacity) => `${hex}${Math.round(255 * opacity).toString(16).padStart(2, "0")}`;

  function traces(chart, without) {
    return chart.series.flatMap((series) => {
      if (series.kind === "level") return [level(series)];
      if (series.kind === "cross") return [cross(series)];
      if (without.has(series.look)) return [];
      return { bars: columns, steps }[series.kind]?.(series) ?? curve(series);
    });
  }

  const part = (series, name) => series.points.map((point) => point[{ x: 0, y: 1, low: 2, high: 3, told: 4, place: 5 }[name]]);
  const hover = (series) => ({
    text: part(series, "told").map((text) => `${plain(series.label)}<br>${plain(text)}`), hovertemplate: "%{text}<extra></extra>",
  });

  function bars(series, color) {
    const [y, low, high] = ["y", "low", "high"].map((name) => part(series, name));
    return { type: "data", symmetric: false, array: high.map((end, i) => Math.max(0, end - y[i])),
      arrayminus: low.map((end, i) => Math.max(0, y[i] - end)), color, thickness: 1.3, width: 3 };
  }

  function curve(series) {
    const color = colourOf(series.look);
    const lost = part(series, "place").includes("lost");
    const made = (points, mode) => {
      const own = { ...series, points };
      return { type: "scatter", mode, x: part(own, "x"), y: part(own, "y"), error_y: bars(own, faint(color, 0.6)),
        line: { color, width: 2, dash: DASHES[group(series.look)] },
        marker: { color, size: 7, line: { color, width: 2 },
          symbol: part(own, "place").map((place) => PLACES[place] ?? MARKERS[group(series.look)]) },
        ...hover(own) };
    };
    if (series.kind !== "curve") return [made(series.points, "markers")];
    const inside = series.points.filter((point) => !point[5]);
    const rest = series.points.filter((point) => point[5]);
    return [made(inside, "lines+markers"), ...(lost ? [made(rest, "markers")] : [])];
  }

  function columns(series) {
    return [{ type: "bar", x: part(series, "x"), y: part(series, "y"), width: series.width,
      marker: { color: faint(colourOf(series.look), 0.8) }, error_y: bars(series, property("text")), ...hover(series) }];
  }

  function steps(series) {
    const color = colourOf(series.look);
    const edge = { type: "scatter", mode: "lines", x: part(series, "x"), line: { shape: "hv", width: 0 }, hoverinfo: "skip" };
    return [
      { ...edge, y: part(series, "low") },
      { ...edge, y: part(series, "high"), fill: "tonexty", fillcolor: faint(color, 0.18) },
      { type: "scatter", mode: "lines", x: part(series, "x"), y: part(series, "y"),
        line: { shape: "hv", color, width: 2, dash: DASHES[group(series.look)] }, ...hover(series) },
    ];
  }

  function level(series) {
    const half = series.width / 2;
    const own = { ...series, points: series.points.flatMap((p) => [[p[0] - half, ...p.slice(1)], [p[0] + half, ...p.slice(1)], [null, null, null, null, "", ""]]) };
    return { type: "scatter", mode: "lines", x: part(own, "x"), y: part(own, "y"),
      line: { color: property("soft"), width: 1.6, dash: ["dot", "dash", "solid"][series.look % 3] }, ...hover(own) };
  }

  function cross(series) {
    return { type: "scatter", mode: "markers", x: part(series, "x"), y: part(series, "y"),
      marker: { symbol: "x-thin-open", size: 9, color: property("soft"), line: { width: 2 } }, ...hover(series) };
  }

  function axis({ title, low, high, ticks, log }) {
    const ends = log ? [Math.log10(low), Math.log10(high)] : [low, high];
    return { title: { text: plain(title) }, type: log ? "log" : "linear", range: ends, automargin: true, gridcolor: property("line"),
      linecolor: property("strong-line"), zeroline: false, tickvals: ticks.map(([value]) => value), ticktext: ticks.map(([, text]) => plain(text)) };
  }

  function layout(chart) {
    const size = 0.8 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const soft = property("strong-line");
    const touched = matchMedia("(pointer: coarse)").matches;
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: property("text"), family: property("font"), size },
      margin: { l: 52, r: 12, t: 30, b: 44 }, showlegend: false, hovermode: "closest", dragmode: touched ? false : "zoom", barmode: "overlay",
      hoverlabel: { bgcolor: property("raised"), bordercolor: soft, font: { color: property("text"), size }, align: "left", namelength: -1 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: property("text") },
      xaxis: { ...axis(chart.x), showgrid: false }, yaxis: axis(chart.y),
      shapes: chart.lines.map(([y]) => ({ type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: { color: soft, width: 1, dash: "dot" } })),
      annotations: chart.lines.filter(([, text]) => text).map(([y, text]) => ({ text: plain(text), xref: "paper", x: 1,
        y: chart.y.log ? Math.log10(y) : y, xanchor: "right", yanchor: "bottom", showarrow: false, font: { color: property("soft"), size } })),
    };
  }

  // Buttons by name: by default there is one that would send the chart away.
  const CONFIG = { responsive: true, displaylogo: false, modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]] };

  function draw() {
    for (const chart of charts) {
      const figure = document.querySelector(`figure[data-chart="${CSS.escape(chart.name)}"]`);
      let live = figure.querySelector(".live");
      if (!live) {
        live = document.createElement("div");
        live.className = "live";
        live.setAttribute("role", "group");
        live.setAttribute("aria-label", figure.querySelector(".static").getAttribute("aria-label"));
        figure.querySelector(".picture").append(live);
        figure.classList.add("drawn");
      }
      const without = hidden.get(figure.closest("section"));
      Plotly.react(live, traces(chart, without), layout(chart), CONFIG);
      for (const one of figure.querySelectorAll(".static [data-look]")) {
        one.style.display = without.has(Number(one.dataset.look)) ? "none" : "";
      }
    }
  }

  for (const item of document.querySelectorAll(".legend li[data-look]")) {
    const look = Number(item.dataset.look);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "key";
    button.setAttribute("aria-pressed", "true");
    button.append(...item.querySelector(".key").childNodes);
    button.addEventListener("click", () => {
      const without = hidden.get(button.closest("section"));
      if (!without.delete(look)) without.add(look);
      button.setAttribute("aria-pressed", String(!without.has(look)));
      draw();
    });
    item.replaceChildren(button);
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
