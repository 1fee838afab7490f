/** Makes the entries of a legend buttons, each of which hides a curve in all pictures of its section, and on paper. */
(() => {
  "use strict";

  for (const item of document.querySelectorAll(".legend li[data-look]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "key";
    button.setAttribute("aria-pressed", "true");
    button.append(...item.querySelector(".key").childNodes);
    button.addEventListener("click", () => {
      const hides = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(!hides));
      for (const part of button.closest("section").querySelectorAll(`figure [data-look="${item.dataset.look}"]`)) {
        part.style.display = hides ? "none" : "";
      }
    });
    item.replaceChildren(button);
  }
})();
