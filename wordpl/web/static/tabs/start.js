/** How it works: what epsilon buys, in six scenes to play with. The address keeps the scene, its draws and its choices. */

import { el } from "../dom.js";

export const title = "How it works";

const SCENES = await Promise.all(["ask", "die", "predict", "promise", "again", "real"]
  .map((scene) => import(`/static/start/${scene}.js`)));

export function show(root, state) {
  if (!state.get("seed")) state.set({ seed: Math.floor(Math.random() * 10000) });
  const draw = () => {
    const at = Math.max(0, SCENES.indexOf(SCENES[state.get("scene")]));
    const turn = (by) => {
      state.set({ scene: at + by || null }, { push: true });
      draw();
      scrollTo(0, 0);
      root.querySelector("h1").focus();
    };
    const game = (text) => el("a", { href: "/play", "data-link": "" }, text);
    const last = at === SCENES.length - 1;
    root.replaceChildren(
      el("h1", { tabIndex: -1 }, SCENES[at].heading),
      el("div", { className: "scene" }, SCENES[at].draw(state)),
      el("nav", { className: "walk", "aria-label": "Scenes" },
        at > 0 && el("button", { type: "button", onclick: () => turn(-1) }, "Back"),
        el("span", { className: "note" }, `${at + 1} of ${SCENES.length}`),
        !last && game("Skip to the game"),
        last ? game("Play") : el("button", { type: "button", onclick: () => turn(1) }, "Next")));
  };
  draw();
}
