/** The word of the day, which is played once in a browser: its moves and how it went, kept in this browser only. */

const nameOf = ({ words, rule }) => `play:daily:${words}:${rule}`;

/** By day: the moves, and once it is over the guesses, or false. */
function read(game) {
  try { return JSON.parse(localStorage.getItem(nameOf(game))) ?? {}; } catch { return {}; }
}

/** The moves that were made here in a game of the day; none in other games. */
export const movesOf = (game) => (game.kind === "daily" && read(game)[game.day]?.moves) || [];

/** Keep a game of the day as it stands, unless one of that day is over. */
export function keepDaily(game) {
  const kept = read(game);
  if (kept[game.day]?.guesses !== undefined) return;
  kept[game.day] = { moves: game.moves, guesses: game.result ? game.result.won && game.rows.length : undefined };
  try { localStorage.setItem(nameOf(game), JSON.stringify(kept)); } catch { /* private browsing: it is not kept */ }
}

/** How many were played and won, how many days in a row up to this one, and how many took each number of guesses. */
export function statistics(game) {
  const kept = read(game);
  const over = Object.values(kept).map(({ guesses }) => guesses).filter((guesses) => guesses !== undefined);
  let streak = 0;
  for (const day = new Date(game.day); kept[day.toISOString().slice(0, 10)]?.guesses; day.setUTCDate(day.getUTCDate() - 1)) {
    streak += 1;
  }
  const counts = Array.from({ length: game.max_rows }, (_, i) => over.filter((guesses) => guesses === i + 1).length);
  return { played: over.length, won: over.filter(Boolean).length, streak, counts };
}
