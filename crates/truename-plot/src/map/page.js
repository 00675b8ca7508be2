"use strict";
const map = document.querySelector(".map");
const frame = document.getElementById("map-frame");
const points = document.getElementById("map-points");
const card = document.getElementById("card");
const side = frame.width.baseVal.value;
const nearest = 64, farthest = 0.5;
let view = { scale: 1, x: 0, y: 0 };

// Our cards take the place of the browser's tooltips.
const cards = new Map();
for (const title of map.querySelectorAll("title")) {
  const owner = title.parentNode;
  if (owner.classList.contains("point")) {
    cards.set(owner, title.textContent);
    owner.setAttribute("aria-label", title.textContent);
    title.remove();
  }
}
map.querySelector(":scope > title").remove();

function show(next) {
  view = next;
  points.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  points.style.setProperty("--unzoom", 1 / view.scale);
}

// Where an event is in the frame, in its own unit.
function at(event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(points.parentNode.getScreenCTM().inverse());
  return { x: place.x, y: place.y };
}

function zoom(factor, centre) {
  const scale = Math.min(nearest, Math.max(farthest, view.scale * factor));
  const ratio = scale / view.scale;
  show({ scale, x: centre.x - ratio * (centre.x - view.x), y: centre.y - ratio * (centre.y - view.y) });
}

frame.addEventListener("wheel", (event) => {
  event.preventDefault();
  const lines = event.deltaMode === 0 ? event.deltaY / 30 : event.deltaY;
  zoom(Math.exp(-0.06 * Math.max(-10, Math.min(10, lines))), at(event));
}, { passive: false });

let from = null;
function stop() {
  from = null;
  frame.classList.remove("dragged");
}
frame.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  const place = at(event);
  from = { x: place.x - view.x, y: place.y - view.y };
});
addEventListener("pointermove", (event) => {
  if (event.buttons === 0) stop();
  if (from === null) return;
  event.preventDefault();
  frame.classList.add("dragged");
  const place = at(event);
  show({ scale: view.scale, x: place.x - from.x, y: place.y - from.y });
});
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, stop);

function say(point, x, y) {
  card.textContent = cards.get(point);
  card.hidden = false;
  const box = card.getBoundingClientRect();
  card.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  card.style.top = `${y + 14 + box.height < innerHeight ? y + 14 : Math.max(8, y - box.height - 10)}px`;
}
const hide = () => { card.hidden = true; };
points.addEventListener("pointerover", (event) => {
  const point = event.target.closest(".point");
  if (point) say(point, event.clientX, event.clientY);
});
points.addEventListener("pointerout", hide);
points.addEventListener("focusin", (event) => {
  const point = event.target.closest(".point");
  if (!point || !point.matches(":focus-visible")) return;
  const box = point.getBoundingClientRect();
  say(point, box.left, box.bottom - 8);
});
points.addEventListener("focusout", hide);
addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

const middle = { x: side / 2, y: side / 2 };
document.getElementById("nearer").addEventListener("click", () => zoom(1.5, middle));
document.getElementById("farther").addEventListener("click", () => zoom(1 / 1.5, middle));
document.getElementById("reset").addEventListener("click", () => show({ scale: 1, x: 0, y: 0 }));
document.querySelector(".tools").hidden = false;
