"use strict";
for (const slider of document.querySelectorAll(".slider")) {
  const range = slider.querySelector("input");
  const move = () => slider.style.setProperty("--at", range.value + "%");
  range.addEventListener("input", move);
  move(); // a browser may keep where it stood when the page is loaded again
}

const buttons = [...document.querySelectorAll("[data-show]")];
const shown = (value) => {
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.show === value));
  for (const card of document.querySelectorAll("[data-standing]")) {
    card.hidden = value !== "all" && card.dataset.standing !== value;
  }
};
for (const button of buttons) button.addEventListener("click", () => shown(button.dataset.show));

const unfold = () => {
  const card = location.hash.startsWith("#case-") && document.getElementById(location.hash.slice(1));
  if (card) {
    card.open = true;
    card.scrollIntoView();
  }
};
addEventListener("hashchange", unfold);
for (const dot of document.querySelectorAll(".dots a")) dot.addEventListener("click", () => setTimeout(unfold));
unfold();
