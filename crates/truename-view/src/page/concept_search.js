// The dialog that searches another concept for a name.

import { counted, element, settled } from "./dom.js";
import { candidateParts } from "./candidates.js";

/** A search field with a list of concepts below it, by the combobox pattern: the focus stays in the field. */
export class ConceptSearch {
  /** `find` returns the candidates of some words; a signal ends it. */
  constructor(find) {
    this.find = find;
    this.candidates = [];
    this.build();
    this.input.addEventListener(
      "input",
      settled(() => this.search()),
    );
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.dialog.addEventListener("close", () => {
      this.calling?.abort();
      this.resolve?.(this.picked);
    });
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(this.candidates[Number(option.dataset.position)]);
    });
  }

  build() {
    this.name = element("bdi", { id: "search-name" });
    this.input = element("input", {
      type: "search",
      id: "search-input",
      dir: "auto",
      autocomplete: "off",
      spellcheck: false,
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": "search-results",
      "aria-autocomplete": "list",
    });
    this.status = element("p", { id: "search-status", class: "status", role: "status" });
    this.list = element("ul", { id: "search-results", class: "results", role: "listbox", "aria-label": "Concepts" });
    const close = element("button", { type: "button", id: "search-close" }, "Cancel");
    close.addEventListener("click", () => this.dialog.close());
    const key = (name) => element("kbd", {}, name);
    const keys = [key("↓"), " ", key("↑"), " move, ", key("Enter"), " chooses"];
    this.dialog = element(
      "dialog",
      { id: "search-dialog", "aria-labelledby": "search-heading" },
      element("h2", { id: "search-heading" }, "Another concept for ", this.name),
      element("label", { htmlFor: "search-input" }, "Name, words or id"),
      this.input,
      this.status,
      this.list,
      element("div", { class: "row" }, element("span", { class: "hint keyboard" }, ...keys), " ", close),
    );
    document.body.append(this.dialog);
  }

  /** Opens the dialog and returns the concept chosen; null if none was. */
  choose(name) {
    return new Promise((resolve) => {
      [this.resolve, this.picked] = [resolve, null];
      this.name.textContent = `“${name}”`;
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
      const candidates = await this.find(words, calling.signal);
      if (calling.signal.aborted) return;
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
