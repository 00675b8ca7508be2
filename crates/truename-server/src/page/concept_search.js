// The dialog that searches another concept for a name.

import { bar, byId, counted, percent, said, element } from "./dom.js";
import { call } from "./server.js";

/** Time without a key after which the search begins, in milliseconds. */
export const TYPING_PAUSE_MS = 200;

/** Returns a function that calls `action` once no call came for a while. */
export function settled(action, milliseconds = TYPING_PAUSE_MS) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/** A search field with a list of concepts below it, by the combobox pattern: the focus stays in the field. */
export class ConceptSearch {
  constructor() {
    [this.dialog, this.input, this.list, this.status] = ["search-dialog", "search-input", "search-results", "search-status"].map(
      byId,
    );
    this.candidates = [];
    this.input.addEventListener(
      "input",
      settled(() => this.search()),
    );
    this.input.addEventListener("keydown", (event) => this.key(event));
    byId("search-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => {
      this.calling?.abort();
      this.resolve?.(this.picked);
    });
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(this.candidates[Number(option.dataset.position)]);
    });
  }

  /** Opens the dialog and returns the concept chosen; null if none was. */
  choose(name) {
    return new Promise((resolve) => {
      [this.resolve, this.picked] = [resolve, null];
      byId("search-name").textContent = `“${name}”`;
      this.input.value = name;
      this.show([]);
      this.dialog.showModal();
      this.input.select();
      this.search();
    });
  }

  async search() {
    this.calling?.abort();
    const words = this.input.value.trim();
    if (words === "") {
      this.show([]);
      this.status.textContent = "";
      return;
    }
    const calling = new AbortController();
    this.calling = calling;
    try {
      const { candidates } = await call("v1/search", { query: { q: words, top: 20 }, signal: calling.signal });
      this.show(candidates);
      this.status.textContent = counted(candidates.length, "concept");
    } catch (error) {
      if (!calling.signal.aborted) this.status.textContent = error.message;
    }
  }

  show(candidates) {
    this.candidates = candidates;
    this.list.replaceChildren(
      ...candidates.map((candidate, at) =>
        element(
          "li",
          { role: "option", id: `search-result-${at}`, "aria-selected": "false", "data-position": at },
          ...candidateParts(candidate),
        ),
      ),
    );
    this.input.setAttribute("aria-expanded", String(candidates.length > 0));
    this.select(candidates.length > 0 ? 0 : -1);
  }

  select(at) {
    this.selected = at;
    [...this.list.children].forEach((option, position) => option.setAttribute("aria-selected", String(position === at)));
    if (at < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", `search-result-${at}`);
    this.list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const count = this.candidates.length;
    if (event.key === "ArrowDown" && count > 0) this.select((this.selected + 1) % count);
    else if (event.key === "ArrowUp" && count > 0) this.select((this.selected + count - 1) % count);
    // In a search field Escape would clear the words first.
    else if (event.key === "Escape") this.dialog.close();
    else if (event.key === "Enter" && this.selected >= 0) this.pick(this.candidates[this.selected]);
    else return;
    event.preventDefault();
  }

  pick(candidate) {
    this.picked = candidate;
    this.dialog.close();
  }
}

/** Returns the parts of a candidate as they stand in every list: names, id, bar and probability. */
export function candidateParts({ id, preferred_name: preferred, matched_name: matched, probability }, { figure = true } = {}) {
  const names = element(
    "span",
    { class: "names-of" },
    said("span", preferred, { class: "preferred" }),
    matched && matched !== preferred ? said("span", matched, { class: "also" }) : null,
  );
  const parts = [names, " ", said("code", id)];
  return figure ? [...parts, " ", bar(probability), element("span", { class: "percent" }, ` ${percent(probability)}`)] : parts;
}
