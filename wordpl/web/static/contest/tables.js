/** Tables whose columns are left out where they say nothing. */

import { percent, table } from "../dom.js";

/**
 * The columns that say something of the rows. A column is [heading, cell of a row, is a number, whether a row says
 * anything there]; without the last it always stays.
 */
export function columnsTold(columns, rows) {
  const told = columns.filter(([, , , says]) => !says || rows.some(says));
  return {
    table: (caption) => table(told.map(([heading]) => heading),
      rows.map((row) => told.map(([, cell]) => cell(row))),
      { caption, numbers: told.filter(([, , number]) => number).map(([heading]) => heading) }),
  };
}

/** A probability's interval. */
export const intervalText = ([low, high]) => `[${percent(low)}, ${percent(high)}]`;
