// Elements and texts shared by the views. Values from outside become text, never markup.

/** Time without a key after which what was typed is acted on, in milliseconds. */
const TYPING_PAUSE_MS = 200;
const SVG = "http://www.w3.org/2000/svg";

/** Returns the element of the page with an id. */
export const byId = (id) => document.getElementById(id);

/** Creates an element. Properties are set on the object, `aria-…`, `data-…`, `role` and `list` as attributes; null children are left out. */
export function element(tag, properties = {}, ...children) {
  const created = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key === "class") created.className = value;
    else if (key.includes("-") || ["role", "list"].includes(key)) created.setAttribute(key, value);
    else created[key] = value;
  }
  created.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return created;
}

/** Creates an element for text of the knowledge base or of the user, whose direction the text itself decides. */
export const said = (tag, text, properties = {}) => element(tag, { dir: "auto", ...properties }, text);

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns the pieces of a text, the words that another text lacks marked. */
export function marked(text, other) {
  const known = new Set(words(other));
  return text
    .split(/(\s+)/)
    .map((piece) => (words(piece).every((word) => known.has(word)) ? piece : element("mark", {}, piece)));
}

/** Creates the bar of a probability. The figure beside it tells the same, so it is hidden from screen readers. */
export function bar(probability) {
  const drawn = document.createElementNS(SVG, "svg");
  const filled = document.createElementNS(SVG, "rect");
  const attributes = { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" };
  for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, value);
  filled.setAttribute("width", Math.round(Math.min(1, Math.max(0, probability)) * 100));
  filled.setAttribute("height", "8");
  drawn.append(filled);
  return drawn;
}

/** Formats a probability to a tenth of a percent, never rounding to 0 or 100 %. */
export function percent(probability) {
  if (probability === 1) return "100 %";
  if (probability > 0.999) return "> 99.9 %";
  if (probability < 0.001) return "< 0.1 %";
  return `${(probability * 100).toFixed(1)} %`;
}

/** Formats a number with its digits in groups of three. */
export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

/** Formats a number with its noun, as in "1 row" and "2 rows". */
export const counted = (number, noun, plural = `${noun}s`) => `${grouped(number)} ${number === 1 ? noun : plural}`;

/** Has a screen reader say a text, without moving the focus. */
export function announce(text) {
  const made = () => document.body.appendChild(element("div", { id: "announcer", class: "visually-hidden", role: "status" }));
  const region = byId("announcer") ?? made();
  region.textContent = "";
  // A region that is emptied and filled at once is not read again when the text is the same.
  setTimeout(() => {
    region.textContent = text;
  }, 50);
}

/** Shows an error with its hint in an element of `role="alert"`; no error empties it. */
export function showError(place, error) {
  place.replaceChildren();
  if (!error) return;
  place.append(element("strong", {}, error.message));
  if (error.hint) place.append(element("span", {}, ` ${error.hint}`));
}

/** Has the browser save a file. */
export function download(pieces, type, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob(pieces, { type })), download: name });
  link.click();
  // The download has begun once the click is handled, but not every browser has read the bytes by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Returns a function that calls `action` once no call came for a while. */
export function settled(action, milliseconds = TYPING_PAUSE_MS) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/** Opens a dialog and returns its form's value, or null if it was closed. */
export function ask(dialog) {
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue || null), { once: true });
    dialog.showModal();
  });
}

/** Values that the browser keeps for the page, where it lets a page do so. */
export const kept = {
  get(key) {
    try {
      return localStorage.getItem(`truename ${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem(`truename ${key}`);
      else localStorage.setItem(`truename ${key}`, value);
    } catch {
      /* It lasts as long as the page. */
    }
  },
};
