"""How quickly the pictures of Explore are drawn, measured in a browser (Playwright) that shows them."""

from __future__ import annotations

from playwright.sync_api import Page

_SCROLL = """async (seconds) => {
  const matrix = document.querySelector(".matrix[role=application]");
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  let drawn = false, frames = 0;
  CanvasRenderingContext2D.prototype.drawImage = function (...given) { drawn = true; return draw.apply(this, given); };
  const next = () => new Promise(requestAnimationFrame);
  await next();
  const start = performance.now();
  let now = start;
  while (now - start < 1000 * seconds) {
    matrix.scrollBy(9, 40);
    await next();
    now = performance.now();
    frames += drawn;
    drawn = false;
  }
  CanvasRenderingContext2D.prototype.drawImage = draw;
  return 1000 * frames / (now - start);
}"""

_SLIDE = """async (times) => {
  const range = document.querySelector(".slider input[type=range]");
  const found = [];
  for (let i = 0; i < times; i += 1) {
    range.value = 20 + (i * 37) % 200;
    const start = performance.now();
    range.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);  // after the drawing, which was asked for before
    found.push(performance.now() - start);
  }
  return found;
}"""


def scroll_frames_per_second(page: Page, seconds: float = 3.0) -> float:
    """Return how many pictures a second are drawn while the matrix is scrolled. `page` is at /explore/matrix."""
    page.locator(".matrix[role=application] canvas").wait_for()
    page.wait_for_load_state("networkidle")
    return float(page.evaluate(_SCROLL, seconds))


def slider_milliseconds(page: Page, times: int = 20) -> list[float]:
    """Return the time from moving epsilon until all distributions are drawn. `page` is at /explore/clues."""
    page.locator(".distributions .plot").first.wait_for()
    return [float(found) for found in page.evaluate(_SLIDE, times)]
