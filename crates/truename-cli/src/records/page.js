const pairs = [...document.querySelectorAll("article")];
const judged = document.getElementById("judged");
const save = document.getElementById("save");
const header = document.querySelector("header");
const key = "truename pairs " + document.body.dataset.pairs;
// Number and former label of each pair judged, the last at the end.
const undo = [];
let at = 0;

document.querySelectorAll(".tools").forEach((tools) => { tools.hidden = false; });

// The title scrolls away and the tools stay; a pair is scrolled to below them.
new ResizeObserver(() => {
  const title = header.querySelector(".tools").offsetTop - 4;
  document.documentElement.style.setProperty("--title", `${title}px`);
  document.documentElement.style.setProperty("--tools", `${header.offsetHeight - title}px`);
}).observe(header);

// The browser keeps the judgements of these pairs, where it lets a page do so.
function stored() {
  try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; }
}
function store() {
  const labels = {};
  pairs.forEach((pair, number) => { if (pair.dataset.label) labels[number] = pair.dataset.label; });
  try { localStorage.setItem(key, JSON.stringify(labels)); } catch { /* They last as long as the page. */ }
  const count = Object.keys(labels).length;
  judged.textContent = `${count} of ${pairs.length} judged`;
  save.disabled = count === 0;
}

function mark(number) {
  pairs[at]?.removeAttribute("aria-current");
  at = number;
  pairs[at]?.setAttribute("aria-current", "true");
}

function go(to) {
  mark(Math.max(0, Math.min(pairs.length - 1, to)));
  pairs[at]?.focus({ preventScroll: true });
  pairs[at]?.scrollIntoView({ block: "start" });
}

function show(number, label) {
  if (label === "") delete pairs[number].dataset.label;
  else pairs[number].dataset.label = label;
  for (const button of pairs[number].querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === label));
  }
}

function judge(number, label) {
  undo.push([number, pairs[number].dataset.label ?? ""]);
  show(number, label);
  store();
}

// Takes back the last judgement; after a reload, the one furthest down.
function takeBack() {
  if (undo.length === 0) return;
  const [number, label] = undo.pop();
  show(number, label);
  store();
  go(number);
}

const keys = {
  j: () => go(at + 1),
  k: () => go(at - 1),
  y: () => { judge(at, "1"); go(at + 1); },
  n: () => { judge(at, "0"); go(at + 1); },
  u: takeBack,
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || pairs.length === 0) return;
  const action = keys[event.key.toLowerCase()];
  if (action === undefined) return;
  event.preventDefault();
  // A key held down moves on, but judges once.
  if (event.repeat && action !== keys.j && action !== keys.k) return;
  action();
});

pairs.forEach((pair, number) => {
  show(number, "");
  pair.addEventListener("focusin", () => mark(number));
  pair.addEventListener("click", () => mark(number));
  for (const button of pair.querySelectorAll("button")) {
    button.addEventListener("click", () => judge(number, pair.dataset.label === button.value ? "" : button.value));
  }
});

// A page says by `file` what is saved: a name, a type, lines above, and the line of a pair.
save.addEventListener("click", () => {
  const rows = pairs.filter((pair) => pair.dataset.label).map((pair) => `${file.row(pair.dataset)}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([file.head, ...rows], { type: file.type }));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
});

for (const [number, label] of Object.entries(stored())) {
  if (pairs[number] === undefined || (label !== "0" && label !== "1")) continue;
  undo.push([Number(number), ""]);
  show(number, label);
}
store();

// Work goes on after the last pair with a judgement.
history.scrollRestoration = "manual";
const last = pairs.findLastIndex((pair) => pair.dataset.label);
if (last >= 0) go(last + 1);
else mark(0);
