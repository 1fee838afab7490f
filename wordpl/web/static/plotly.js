/**
 * Plotly, loaded when a tab first draws, in the colours of the page.
 *
 * The content security policy allows no style in the page itself. Plotly keeps to that but for two things: a style sheet
 * for maps, which is left out here, and markup in texts such as `<b>`, which `plain` takes away.
 */

import { get } from "./api.js";
import { el } from "./dom.js";

let loading = null;

function load() {
  loading ??= get("/api/health").then(({ plotly }) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `/static/plotly-${plotly}.min.js`;
    script.addEventListener("load", () => {
      delete document.head.appendChild;
      resolve(window.Plotly);
    });
    script.addEventListener("error", () => {
      delete document.head.appendChild;
      reject(new Error("the plotting library could not be loaded"));
    });
    document.head.append(script);
    document.head.appendChild = withoutStyle;
  }));
  loading.catch(() => { loading = null; });
  return loading;
}

function withoutStyle(node) {
  if (node.localName === "style") node.textContent = "";
  return Node.prototype.appendChild.call(document.head, node);
}

/** A text that plotly shows as it is: nothing in it is markup. */
export const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The value of a custom property of the style sheet, as `colour("series-1")`. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The colour of the curve at an index, and its dashes, which tell curves of one colour apart. */
export const SERIES = 6;
export const seriesName = (index) => `series-${1 + (index % SERIES)}`;
export const seriesColour = (index) => colour(seriesName(index));
export const seriesDash = (index) => ["solid", "dash", "dot", "dashdot"][Math.floor(index / SERIES) % 4];

/** A line of a legend: how a curve looks (its colour's name in the style sheet, dashes, width), and its label. */
export function legendEntry(label, name, dash = "solid", width = 3) {
  const swatch = el("span", { className: "swatch", "aria-hidden": "true" });
  swatch.style.setProperty("--series", `var(--${name})`);
  swatch.style.setProperty("--width", `${width}px`);
  swatch.style.setProperty("--dash", { solid: "solid", dash: "dashed", dot: "dotted", dashdot: "double" }[dash]);
  return el("li", {}, swatch, el("span", { className: "mono" }, label));
}

/** A colour of the style sheet (`#rrggbb`), partly transparent. */
export const faint = (hex, opacity) => `${hex}${Math.round(255 * opacity).toString(16).padStart(2, "0")}`;

/**
 * Draw, or draw anew, traces in an element. `traces` and `layout` may be functions, which are called again when the
 * colours of the page change. Ends with `signal`.
 *
 * A picture is not moved or zoomed, so that a finger on it scrolls the page. What it shows must stand beside it as text
 * or as a table, too.
 */
export async function draw(element, traces, layout, signal) {
  const Plotly = await load();
  if (signal?.aborted) return;
  const again = () => {
    const given = valueOf(layout);
    const framed = { ...frame(), ...given };
    for (const axis of Object.keys(framed).filter((name) => /^[xy]axis/.test(name))) {
      framed[axis] = { ...axisFrame(), ...given[axis] };
    }
    return Plotly.react(element, valueOf(traces), framed, { responsive: true, displayModeBar: false });
  };
  if (!element.dataset.drawn) {
    element.dataset.drawn = "yes";
    addEventListener("theme", () => element.redraw?.(), { signal });
    signal?.addEventListener("abort", () => Plotly.purge(element), { once: true });
  }
  element.redraw = again;
  await again();
}

const valueOf = (given) => (typeof given === "function" ? given() : given);

const axisFrame = () => ({
  gridcolor: colour("line"), zerolinecolor: colour("line"), linecolor: colour("strong-line"), automargin: true,
});

function frame() {
  const size = 0.8 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colour("text"), family: colour("font"), size },
    margin: { l: 48, r: 12, t: 12, b: 40 }, xaxis: {}, yaxis: {}, hovermode: "closest", dragmode: false,
    hoverlabel: { bgcolor: colour("raised"), bordercolor: colour("strong-line"), font: { color: colour("text"), size } },
    showlegend: false,
  };
}
