/** Plotly, loaded when a tab first draws, in the colours of the page. */

import { get } from "./api.js";

let loading = null;

function load() {
  loading ??= get("/api/health").then(({ plotly }) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `/static/plotly-${plotly}.min.js`;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => {
      loading = null;
      reject(new Error("the plotting library could not be loaded"));
    });
    document.head.append(script);
  }));
  return loading;
}

/** The value of a custom property of the style sheet, as `colour("series-1")`. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * Draw, or draw anew, traces in an element. `traces` and `layout` may be functions, which are called again when the
 * colours of the page change. Ends with `signal`.
 */
export async function draw(element, traces, layout, signal) {
  const Plotly = await load();
  if (signal?.aborted) return;
  const again = () => Plotly.react(element, valueOf(traces), { ...frame(), ...valueOf(layout) },
    { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] });
  if (!element.dataset.drawn) {
    element.dataset.drawn = "yes";
    addEventListener("theme", () => element.redraw?.(), { signal });
  }
  element.redraw = again;
  await again();
}

const valueOf = (given) => (typeof given === "function" ? given() : given);

function frame() {
  const axis = { gridcolor: colour("line"), zerolinecolor: colour("line"), linecolor: colour("strong-line") };
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colour("text"), family: colour("font") },
    margin: { l: 60, r: 16, t: 24, b: 48 }, xaxis: axis, yaxis: axis, hovermode: "closest",
    colorway: ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6"].map(colour),
  };
}
