/** Tables whose columns are left out where they say nothing. */

import { percent, table } from "../dom.js";

/**
 * A table with the columns that say something of the rows. A column is [heading, cell of a row, is a number, whether a row
 * says anything there]; without the last it always stays.
 */
export function tellingTable(caption, columns, rows) {
  const telling = columns.filter(([, , , says]) => !says || rows.some(says));
  const numbers = telling.filter(([, , number]) => number).map(([heading]) => heading);
  return table(telling.map(([heading]) => heading), rows.map((row) => telling.map(([, cell]) => cell(row))), { caption, numbers });
}

/** A probability's interval. */
export const intervalText = ([low, high]) => `[${percent(low)}, ${percent(high)}]`;
