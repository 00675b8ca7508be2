"use strict";
const pairs = [...document.querySelectorAll("article")];
const judged = document.getElementById("judged");
const key = "truename pairs " + document.body.dataset.pairs;
let at = 0;

document.querySelectorAll(".tools").forEach((tools) => { tools.hidden = false; });

// The browser keeps the judgements of these pairs, where it lets a page do so.
function stored() {
  try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; }
}
function store() {
  const labels = {};
  pairs.forEach((pair, number) => { if (pair.dataset.label) labels[number] = pair.dataset.label; });
  try { localStorage.setItem(key, JSON.stringify(labels)); } catch { /* They last as long as the page. */ }
  judged.textContent = `${Object.keys(labels).length} judged`;
}

function go(to) {
  at = Math.max(0, Math.min(pairs.length - 1, to));
  pairs[at]?.focus({ preventScroll: true });
  pairs[at]?.scrollIntoView({ block: "start" });
}

function judge(number, label) {
  if (label === "") delete pairs[number].dataset.label;
  else pairs[number].dataset.label = label;
  store();
}

const keys = {
  j: () => go(at + 1),
  k: () => go(at - 1),
  y: () => { judge(at, "1"); go(at + 1); },
  n: () => { judge(at, "0"); go(at + 1); },
  u: () => judge(at, ""),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || pairs.length === 0) return;
  const action = keys[event.key.toLowerCase()];
  if (action === undefined) return;
  event.preventDefault();
  action();
});

pairs.forEach((pair, number) => {
  pair.addEventListener("focusin", () => { at = number; });
  pair.addEventListener("click", () => { at = number; });
  for (const button of pair.querySelectorAll("button")) {
    button.addEventListener("click", () => judge(number, button.value));
  }
});

const cell = (text) => `"${text.replaceAll('"', '""')}"`;
document.getElementById("save").addEventListener("click", () => {
  const rows = pairs.filter((pair) => pair.dataset.label)
    .map((pair) => `${cell(pair.dataset.left)},${cell(pair.dataset.right)},${pair.dataset.label}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["left,right,label\n", ...rows], { type: "text/csv" }));
  link.download = "judgements.csv";
  link.click();
  URL.revokeObjectURL(link.href);
});

for (const [number, label] of Object.entries(stored())) {
  if (pairs[number] !== undefined && (label === "0" || label === "1")) pairs[number].dataset.label = label;
}
store();
