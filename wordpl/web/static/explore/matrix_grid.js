/** A clue matrix to move in: the canvas stays while the browser scrolls an element as large as the whole matrix. */

import { MatrixPicture, zooms } from "./matrix_picture.js";

export class Grid extends MatrixPicture {
  /** `cellChanged(meant)` is called when the pointer passes over another cell, or when the user means one; `pin(row)` to pin a row, and `closer()` to come closer. */
  constructor(shape, cells, cellChanged, pin, closer) {
    super(shape, cells, { className: "matrix", tabIndex: 0, role: "application", "aria-describedby": "matrix-help",
      "aria-label": `Clue matrix, ${shape.guesses} guesses by ${shape.answers} answers`,
      onscroll: () => this.drawSoon(),
      onkeydown: (event) => this.key(event),
      onpointermove: (event) => this.move(event),
      onclick: (event) => this.click(event) });
    Object.assign(this, { cellChanged, pin, closer });
    new ResizeObserver(() => this.drawSoon()).observe(this.element);
  }

  /** Take another size of cells; what was in the middle stays there. */
  setZoom(level) {
    const { element, body: { width, height } } = this;
    const row = this.zoom ? (element.scrollTop + height / 2) / this.zoom.height : 0;
    const column = this.zoom ? (element.scrollLeft + width / 2) / this.zoom.width : 0;
    this.zoom = zooms(this.shape.length)[level];
    this.layOut();
    element.scrollTop = row * this.zoom.height - height / 2;
    element.scrollLeft = column * this.zoom.width - width / 2;
    this.recolour();
  }

  /** Make room for the rows that there are, after a change of the zoom or the pins. */
  layOut() {
    const { guesses, answers } = this.shape;
    this.extent.style.width = `${this.left + answers * this.zoom.width}px`;
    this.extent.style.height = `${this.top + guesses * this.zoom.height}px`;
    this.drawSoon();
  }

  /** Put the cursor on a cell, and scroll so that it can be seen: just so, or with `centre` to the middle. */
  goTo(cell, { centre = false } = {}) {
    const { element, body, zoom: { width, height } } = this;
    this.setCell(cell, true);
    const into = (scroll, start, size, room) => {
      if (start >= scroll && start + size <= scroll + room) return scroll;
      if (centre) return start - (room - size) / 2;
      return start < scroll ? start : start + size - room;
    };
    element.scrollTop = into(element.scrollTop, cell.row * height, height, body.height);
    element.scrollLeft = into(element.scrollLeft, cell.column * width, width, body.width);
  }

  setCell(cell, meant) {
    if (!meant && cell.row === this.cell?.row && cell.column === this.cell?.column) return;
    this.cell = cell;
    this.drawSoon();
    this.cellChanged(meant);
  }

  point(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left - this.element.clientLeft, y: event.clientY - box.top - this.element.clientTop };
  }

  click(event) {
    const { x, y } = this.point(event);
    const { clientWidth, clientHeight } = this.element;
    const cell = x > clientWidth || y > clientHeight ? null : this.at(x, y);
    if (cell && x < this.left && y > this.header) this.pin(cell.row);
    else if (cell && !this.zoom.marks) {
      this.closer();
      this.goTo(cell, { centre: true });
    } else if (cell) this.setCell(cell, true);
  }

  move(event) {
    const { x, y } = this.point(event);
    const cell = y < this.header || x < this.left ? null : this.at(x, y);
    if (cell) this.setCell(cell, false);
  }

  key(event) {
    if (event.altKey || event.metaKey) return;
    const { guesses, answers } = this.shape;
    const page = Math.max(Math.floor(this.body.height / this.zoom.height) - 1, 1);
    const { row, column } = this.cell ?? { row: Math.ceil(this.seen.top), column: Math.ceil(this.seen.left) };
    const ctrl = event.ctrlKey;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageUp: [row - page, column], PageDown: [row + page, column],
      Home: [ctrl ? 0 : row, 0], End: [ctrl ? guesses - 1 : row, answers - 1],
    };
    if (event.key in moves) {
      const [to, over] = moves[event.key];
      const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
      this.goTo({ row: within(to, guesses), column: within(over, answers) });
    } else if (event.key === "Enter" && this.cell) this.pin(row);
    else return;
    event.preventDefault();
  }
}
