// The view that labels pairs of records, one after the other, doubtful ones sooner.

import { announce, bar, byId, counted, download, element, grouped, kept, marked, percent, said, showError } from "./dom.js";
import { call } from "./server.js";

/** Pairs fetched at once: the scorer is fitted to every five labels, which changes the order. */
const TOP = 5;

/** The view with the pair to label. */
export class PairsView {
  constructor() {
    this.place = byId("pairs-pair");
    Object.assign(this, { waiting: [], history: [], saving: Promise.resolve(), current: null, isEnd: false });
    const answers = { same: true, different: false, unsure: null };
    const keys = { y: () => this.answer(true), n: () => this.answer(false), "?": () => this.answer(null), u: () => this.undo() };
    document.addEventListener("keydown", (event) => {
      const action = keys[event.key.toLowerCase()];
      if (!action || event.repeat || event.ctrlKey || event.metaKey || event.altKey || byId("view-pairs").hidden) return;
      if (kept.get("keys") === "off" || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      action();
    });
    for (const [name, same] of Object.entries(answers)) {
      byId(`pairs-${name}`).addEventListener("click", () => this.answer(same));
    }
    byId("pairs-undo").addEventListener("click", () => this.undo());
    byId("pairs-save").addEventListener("click", () => this.save());
  }

  /** Offers the pairs of tables. */
  offer(tables) {
    byId("pairs-link").hidden = tables.length === 0;
    byId("pairs-tables").textContent = tables.join(", ");
  }

  open() {
    if (!this.current) this.next();
  }

  /** Shows the next pair, unless another one was shown while it was fetched. */
  async next() {
    this.show(null);
    if (this.waiting.length === 0) {
      this.fetching ??= this.fetch().finally(() => {
        this.fetching = null;
      });
      await this.fetching;
    }
    if (this.current === null) this.show(this.waiting.shift() ?? null);
  }

  /** Fetches further pairs, once the labels before are saved. */
  async fetch() {
    await this.saving;
    try {
      const { pairs, labels, matches } = await call("v1/pairs", { query: { top: TOP } });
      Object.assign(this, { waiting: pairs, labels, matches, isEnd: pairs.length === 0 });
    } catch (error) {
      showError(byId("pairs-error"), error);
    }
  }

  show(pair) {
    this.current = pair;
    for (const button of document.querySelectorAll("#pairs-answers button")) button.disabled = pair === null;
    byId("pairs-undo").disabled = this.history.length === 0;
    this.showCount();
    if (pair === null) return this.place.replaceChildren();
    const { left, right, probability, columns } = pair;
    const id = (written) => element("th", { scope: "col" }, said("code", written));
    const cells = ({ name, left: one, right: other }) => [
      element("th", { scope: "row" }, said("bdi", name)),
      said("td", marked(one, other)),
      said("td", marked(other, one)),
    ];
    const rows = columns.filter((column) => column.left || column.right).map((column) => element("tr", {}, ...cells(column)));
    this.place.replaceChildren(
      element("h3", {}, bar(probability), ` ${percent(probability)}`),
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, element("td", {}), id(left), id(right))),
        element("tbody", {}, ...rows),
      ),
    );
  }

  showCount() {
    const { labels = 0, matches = 0, current, isEnd } = this;
    const none = current === null && isEnd ? " · no pair is left" : "";
    byId("pairs-status").textContent = `${counted(labels, "pair")} labelled, ${grouped(matches)} the same${none}`;
    byId("pairs-save").disabled = labels === 0;
  }

  /** Labels the pair, or passes it over where `same` is null. */
  answer(same) {
    const pair = this.current;
    if (pair === null) return null;
    this.history.push([pair, same]);
    this.send(pair, same);
    return this.next();
  }

  /** Takes the last answer back and shows its pair again. */
  undo() {
    const last = this.history.pop();
    if (last === undefined) return announce("There is nothing to undo.");
    const [pair, same] = last;
    if (this.current) this.waiting.unshift(this.current);
    if (same !== null) this.send(pair, null, same);
    return this.show(pair);
  }

  /** Sends a label after those before it; where the server does not take it, its pair is shown again. `before` is the label in its place. */
  send(pair, same, before = null) {
    const count = (label, step) => {
      this.labels += label === null ? 0 : step;
      this.matches += label === true ? step : 0;
    };
    const change = (from, to) => {
      count(from, -1);
      count(to, 1);
      this.showCount();
    };
    change(before, same);
    showError(byId("pairs-error"), null);
    const { left, right } = pair;
    this.saving = this.saving
      .then(() => call("v1/pairs/labels", { body: { left, right, same } }))
      .catch((error) => {
        change(same, before);
        this.history = this.history.filter(([of]) => of !== pair);
        if (this.current && this.current !== pair) this.waiting.unshift(this.current);
        this.show(pair);
        showError(byId("pairs-error"), error);
      });
  }

  /** Saves the labels as the server has them. */
  async save() {
    await this.saving;
    try {
      const table = await call("v1/pairs/labels", { accept: "text/csv" });
      download([table], "text/csv", "labels.csv");
    } catch (error) {
      showError(byId("pairs-error"), error);
    }
  }
}
