/** How many answers were left after each turn, as a line on a logarithmic scale. */

const NS = "http://www.w3.org/2000/svg";
const HEIGHT = 240;
const MARGIN = { left: 60, right: 20, top: 26, bottom: 36 };

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The chart, drawn anew as its width changes until `signal` is aborted. `left[0]` is before the first turn. */
export function leftChart(left, labels, signal) {
  const place = document.createElement("div");
  place.className = "chart";
  const watch = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width > 0) place.replaceChildren(drawn(left, labels, width));
  });
  watch.observe(place);
  signal.addEventListener("abort", () => watch.disconnect(), { once: true });
  return place;
}

function drawn(left, labels, width) {
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...left)) - 1e-9));
  const x = (at) => MARGIN.left + (at * (width - MARGIN.left - MARGIN.right)) / Math.max(1, left.length - 1);
  const y = (value) => MARGIN.top
    + (1 - Math.log10(Math.max(value, 1)) / decades) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img",
    "aria-label": `Answers left: ${left.map((value, at) => `${labels[at]} ${rounded(value)}`).join(", ")}` });
  for (let power = 0; power <= decades; power += 1) {
    const at = y(10 ** power);
    picture.append(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }),
      svg("text", { x: MARGIN.left - 8, y: at + 4, "text-anchor": "end" }, (10 ** power).toLocaleString("en")));
  }
  picture.append(svg("polyline", { points: left.map((value, at) => `${x(at)},${y(value)}`).join(" ") }));
  const every = Math.ceil(left.length / Math.max(2, Math.floor(width / 64)));
  for (const [at, value] of left.entries()) {
    picture.append(svg("circle", { cx: x(at), cy: y(value), r: 4 }));
    if (at % every) continue;
    const anchor = at === left.length - 1 && left.length > 1 ? "end" : at ? "middle" : "start";
    picture.append(svg("text", { class: "value", x: x(at), y: y(value) - 9, "text-anchor": anchor }, rounded(value)),
      svg("text", { x: x(at), y: HEIGHT - 12, "text-anchor": anchor }, labels[at]));
  }
  return picture;
}

const rounded = (value) => (value < 10 && value % 1 > 0.005 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));
