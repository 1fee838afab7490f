/** Pictures to take home: each under a sentence that says what it shows, and saved as SVG, PNG or CSV. */

import { el, property, setTheme, shown as written, table } from "./dom.js";
import { draw, set, svg } from "./plot.js";

const LINE = 22; // pixels of a line of a saved picture

function save(name, ending, content, type) {
  const file = `wordpl ${name}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  const link = el("a", { href: URL.createObjectURL(new Blob([content], { type })), download: `${file.slice(0, 80)}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Save what is painted on a canvas. */
export const savePainted = (name, canvas) => canvas.toBlob((content) => save(name, "png", content, "image/png"));

/** A cell of a CSV file: all digits of a number; a text is visible and no formula, as by `csv_cell` of `wordpl/base/sanitizing.py`. */
function csvCell(value) {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value).replace("Infinity", "inf");
  const text = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  const formula = /^[\s'"`‘’“”\ufffd]*[=+\-@\u2212]/u.test(text.normalize("NFKC"));
  return `"${formula ? "'" : ""}${text.replaceAll('"', '""')}"`;
}

/** Buttons that save something under a name: its rows, arrays of numbers and texts or a promise of them, as CSV, and in `more` ways. */
export function savingRows(name, rows, more = {}) {
  const asCsv = async () => save(name, "csv", (await rows()).map((row) => `${row.map(csvCell).join(",")}\n`).join(""), "text/csv");
  return el("p", { className: "save", role: "group", "aria-label": `Save ${name}` }, "Save as", Object.entries({ ...more, CSV: asCsv })
    .map(([kind, give]) => el("button", { type: "button", className: "quiet", "aria-label": `${kind} of ${name}`, onclick: give }, kind)));
}

/** Buttons that save a picture, which `make()` gives as SVG, in the colours of the light theme, which print well; and its rows. */
export function savingPicture(name, rows, make) {
  const asSvg = () => {
    const theme = setTheme("light");
    const text = new XMLSerializer().serializeToString(make()).replace(/var\(--([\w-]+)\)/g, (_, colour) => property(colour));
    setTheme(theme);
    return text;
  };
  return savingRows(name, rows, {
    SVG: () => save(name, "svg", asSvg(), "image/svg+xml"),
    PNG: async () => save(name, "png", await painted(asSvg()), "image/png"),
  });
}

/** The points of a picture as rows: curve, x or the name of the point, y and the ends of its interval. */
function pointsOf({ x, y, series }) {
  const rows = series.flatMap(({ label, points }) => points.map((point) => [label, point.name ?? point.x, point.y, point.low, point.high]));
  return [["curve", x.label, y.label, "low", "high"], ...rows];
}

/** A picture under its message, which is the label of what is drawn, with its numbers and what saves it. It has `draw(picture)`. */
export function figure(name, { className = "" } = {}) {
  const plot = el("div", { className: `plot ${className}` });
  const message = el("figcaption");
  let shown;
  const behind = el("details", { className: "numbers", ontoggle: () => tell() }, el("summary", {}, "Numbers"));
  const tell = () => {
    if (!behind.open) return;
    const [columns, ...rows] = pointsOf(shown);
    const texts = rows.map((row) => row.map((cell) => (typeof cell === "number" ? written(cell, 6) : cell ?? "–")));
    behind.replaceChildren(behind.firstChild, table(columns, texts, { caption: `Numbers of ${name}` }));
  };
  const element = el("figure", {}, message, plot, savingPicture(name, () => pointsOf(shown), () => composed(name, shown)), behind);
  return Object.assign(element, { plot, draw(picture) {
    shown = picture;
    message.textContent = picture.label;
    element.ariaLabel = `${name}: ${picture.label}`;
    draw(plot, { ...picture, label: null });
    tell();
  } });
}

/** A picture of one size on every screen, with its title and its message. */
function composed(title, picture) {
  const box = el("div", { className: "plot saved" });
  document.body.append(box);
  draw(box, picture);
  const { clientWidth: width, clientHeight: height } = box;
  box.remove();
  const write = (text, line, more) => svg("text", { x: 12, y: line * LINE, fill: "currentColor", ...more }, text);
  const message = picture.label.match(/.{1,100}(?: |$)|.{100}/g); // or within a word, such as a long name
  const top = (message.length + 1.5) * LINE;
  return svg("svg", { width: width + 24, height: height + top + LINE, color: "var(--text)", "font-size": 14, "font-family": "sans-serif" },
    svg("rect", { width: "100%", height: "100%", fill: "var(--page)" }), write(title, 1, { "font-weight": 700 }), ...message.map((line, i) => write(line, i + 2)),
    set(box.querySelector("svg"), { x: 12, y: top, width, height }));
}

async function painted(text) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(2 * image.width, 2 * image.height);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob();
}
