/** Tables that are sorted by a click on a heading, whose groups fold, and which are saved as CSV. */

import { counted, el, shown } from "./dom.js";
import { savingRows } from "./save.js";

const MOST_ROWS = 12; // of a table of which nothing was opened
const empty = (value) => value === null || value === undefined || value === "";

/** The order of two values; what is empty comes last both ways. */
function order(a, b, sign) {
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  return sign * (a < b ? -1 : Number(a > b));
}

/**
 * A table. A column is `{name, of, write?, show?, ends?}`: of a row, `of` gives the value, a number or a text, `ends` its
 * interval, and `show` what is shown of it, which usually is `write(value)`. A column that is empty in all rows is left
 * out. Rows of one `family(row)` stand together until somebody sorts. The element has `put(columns, rows)`.
 */
export function sheet(name, { family = () => "" } = {}) {
  const region = el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": name });
  const opened = new Set();
  let [columns, rows, by, sign] = [[], [], null, 1];

  function sorted() {
    const of = columns.find((column) => column.name === by)?.of;
    return of ? rows.toSorted((a, b) => order(of(a), of(b), sign)) : rows;
  }

  function heading(column) {
    const sort = () => {
      [by, sign] = [column.name, by === column.name ? -sign : 1];
      draw();
    };
    return el("th", { scope: "col", className: column.kind, "aria-sort": by !== column.name ? undefined : sign > 0 ? "ascending" : "descending" },
      el("button", { type: "button", onclick: sort }, column.name));
  }

  function cell({ name: column, kind, of, ends, write = (value) => (typeof value === "string" ? value : shown(value)), show = (row) => (empty(of(row)) ? "–" : write(of(row))) }, row) {
    const interval = ends?.(row) && el("span", { className: "note" }, ` [${ends(row).map((end) => write(end)).join(", ")}]`);
    return el("td", { className: kind, dataset: { name: column } }, show(row), interval);
  }

  /** The rows of a group; under its name, and folded if there are too many. */
  function group(title, among, room) {
    const folds = among.length > room;
    const visible = folds && !opened.has(title) ? among.slice(0, room) : among;
    const part = visible.length && visible.length < among.length ? `${visible.length} of ` : "";
    const text = `${title && `${title}, `}${part}${counted(among.length, "row")}`;
    const toggle = () => {
      if (!opened.delete(title)) opened.add(title);
      draw();
    };
    const head = folds ? el("button", { type: "button", "aria-expanded": String(opened.has(title)), onclick: toggle }, text) : title;
    return el("tbody", {}, head && el("tr", {}, el("th", { scope: "rowgroup", colSpan: columns.length }, head)),
      visible.map((row) => el("tr", {}, columns.map((column) => cell(column, row)))));
  }

  function draw() {
    const buttons = () => [...region.querySelectorAll("button")];
    const focused = buttons().indexOf(document.activeElement);
    const groups = by ? new Map([["", sorted()]]) : Map.groupBy(rows, family);
    const room = Math.floor(MOST_ROWS / groups.size);
    region.replaceChildren(el("table", {}, el("caption", { className: "unseen" }, name),
      el("thead", {}, el("tr", {}, columns.map(heading))),
      [...groups].map(([title, among]) => group(groups.size > 1 ? title : "", among, room))));
    buttons()[focused]?.focus();
  }

  const exported = () => {
    const parts = columns.flatMap(({ name: head, of, ends }) => [[head, of],
      ...(ends ? [0, 1].map((end) => [`${head} ${["low", "high"][end]}`, (row) => ends(row)?.[end]]) : [])]);
    return [parts.map(([head]) => head), ...sorted().map((row) => parts.map(([, of]) => of(row)))];
  };
  const put = (among, newest) => {
    rows = newest;
    columns = among.filter(({ of }) => rows.some((row) => !empty(of(row)))).map((column) =>
      ({ ...column, kind: rows.some((row) => typeof column.of(row) === "string") ? "" : "number" }));
    draw();
  };
  return Object.assign(el("div", { className: "sheet" }, region, savingRows(name, exported)), { put });
}
