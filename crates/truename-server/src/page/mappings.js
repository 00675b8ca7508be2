// The view that accepts and rejects mappings of two vocabularies, both concepts side by side.

import { announce, bar, byId, counted, download, element, grouped, kept, marked, said, showError } from "./dom.js";
import { call } from "./server.js";

/** Mappings fetched at once. */
const TOP = 20;
/** Mappings below the current one with which further ones are fetched. */
const AHEAD = 5;
const FIELDS = ["name", "synonyms", "definition", "parents", "part_of", "types"];

/** The view with the mappings of a file, in the order of their review. */
export class MappingsView {
  constructor(judgements) {
    this.judgements = judgements;
    [this.list, this.file] = [byId("mappings-list"), byId("mappings-file")];
    this.saving = Promise.resolve();
    const keys = {
      j: () => this.go(this.at + 1),
      k: () => this.go(this.at - 1),
      y: () => this.judge(true),
      n: () => this.judge(false),
      u: () => this.undo(),
    };
    document.addEventListener("keydown", (event) => {
      const action = keys[event.key.toLowerCase()];
      if (!action || event.ctrlKey || event.metaKey || event.altKey || byId("view-mappings").hidden) return;
      if (kept.get("keys") === "off" || document.querySelector("dialog[open]") || event.target.closest("select")) return;
      event.preventDefault();
      // A key held down moves on, but judges once.
      if (!event.repeat || "jk".includes(event.key.toLowerCase())) action();
    });
    this.file.addEventListener("change", () => this.begin());
    for (const radio of this.filters()) radio.addEventListener("change", () => this.begin());
    byId("mappings-save").addEventListener("click", () => this.save());
  }

  /** Offers the files of mappings of the server. */
  offer(names) {
    this.file.replaceChildren(...names.map((name) => new Option(name)));
    byId("mappings-files").hidden = names.length < 2;
    byId("mappings-link").hidden = names.length === 0;
  }

  open() {
    if (!this.items) this.begin();
  }

  filters() {
    return [...document.querySelectorAll("[name=mappings-filter]")];
  }

  query() {
    return this.file.value ? { file: this.file.value } : {};
  }

  /** Lists the mappings that the filter lets through, from the first. */
  async begin() {
    Object.assign(this, { items: [], history: [], at: 0, next: 0, fetching: null });
    this.list.replaceChildren();
    showError(byId("mappings-error"), null);
    await this.fetch();
    this.mark(0);
  }

  /** Fetches further mappings, once for all that wait for them. */
  fetch() {
    if (this.next === null) return null;
    const { items } = this;
    this.fetching ??= this.fetchNext(items).finally(() => {
      if (items === this.items) this.fetching = null;
    });
    return this.fetching;
  }

  async fetchNext(items) {
    const judged = this.filters().find((radio) => radio.checked).value;
    const query = { ...this.query(), from: this.next, top: TOP, ...(judged && { judged }) };
    await this.saving;
    try {
      const { mappings, total, judged: count, next } = await call("v1/mappings", { query });
      // The filter or the file was changed meanwhile.
      if (items !== this.items) return;
      Object.assign(this, { total, count, next });
      const added = mappings.map((mapping, at) => this.item(mapping, items.length + at));
      items.push(...added);
      this.list.append(...added.map(({ article }) => article));
      this.showCount();
    } catch (error) {
      if (items === this.items) this.next = null;
      showError(byId("mappings-error"), error);
    }
  }

  showCount() {
    const none = this.items.length === 0 ? " · none is left here" : "";
    byId("mappings-status").textContent = `${grouped(this.count)} of ${counted(this.total, "mapping")} judged${none}`;
    byId("mappings-save").disabled = this.count === 0;
  }

  item(mapping, at) {
    const { place, subject, object, confidence, predicate_id, mapping_justification, match_string } = mapping;
    const evidence = [mapping_justification.split(":").at(-1), match_string.replaceAll("|", " | ")].filter(Boolean).join(": ");
    const text = (value) => [value ?? []].flat().join("; ");
    const rows = FIELDS.map((field) => [field.replace("_", " "), text(subject[field]), text(object[field])]);
    const cells = ([title, left, right]) => [
      element("th", { scope: "row" }, title),
      said("td", marked(left, right)),
      said("td", marked(right, left)),
    ];
    const id = (written) => element("th", { scope: "col" }, said("code", written));
    const buttons = [true, false].map((accepted) => {
      const button = element("button", { type: "button", value: accepted }, accepted ? "Accept" : "Reject");
      button.addEventListener("click", () => {
        this.mark(at);
        this.put(item, item.mapping.judgement?.accepted === accepted ? null : accepted);
      });
      return button;
    });
    const verdict = element("b", {});
    const article = element(
      "article",
      { tabIndex: -1, class: "compared", "aria-label": `Mapping ${grouped(place + 1)}` },
      element("h3", {}, grouped(place + 1), " ", bar(confidence), ` ${confidence.toFixed(3)} `, verdict),
      element("p", { class: "hint" }, `${predicate_id} · `, said("bdi", evidence)),
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, element("td", {}), id(mapping.subject_id), id(mapping.object_id))),
        element("tbody", {}, ...rows.filter(([, left, right]) => left || right).map((row) => element("tr", {}, ...cells(row)))),
      ),
      element("div", { class: "row" }, ...buttons),
    );
    const item = { mapping, article, verdict, buttons };
    article.addEventListener("focusin", () => this.mark(at));
    article.addEventListener("click", () => this.mark(at));
    this.show(item);
    return item;
  }

  mark(at) {
    this.items[this.at]?.article.removeAttribute("aria-current");
    this.at = at;
    this.items[at]?.article.setAttribute("aria-current", "true");
  }

  async go(to) {
    if (to + AHEAD >= this.items.length) {
      const fetched = this.fetch();
      if (to >= this.items.length) await fetched;
    }
    if (this.items.length === 0) return;
    this.mark(Math.max(0, Math.min(this.items.length - 1, to)));
    const { article } = this.items[this.at];
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  }

  async judge(accepted) {
    const at = this.at;
    if (this.items[at] && (await this.put(this.items[at], accepted))) await this.go(at + 1);
  }

  /** Takes a judgement, or takes it back. Returns whether the user has a name to judge by. */
  async put(item, accepted) {
    const user = await this.judgements.user();
    if (user === null) return false;
    this.history.push([item, item.mapping.judgement?.accepted ?? null]);
    this.send(item, accepted, user);
    return true;
  }

  async undo() {
    const last = this.history.pop();
    if (last === undefined) return announce("There is nothing to undo.");
    const [item, accepted] = last;
    this.send(item, accepted, await this.judgements.user());
    return this.go(this.items.indexOf(item));
  }

  /** Shows a judgement and sends it, after those before it; one that the server does not take is taken back. */
  send(item, accepted, user) {
    const { mapping } = item;
    const { judgement: before, subject_id, object_id, predicate_id } = mapping;
    const [query, body] = [this.query(), { subject_id, object_id, predicate_id, accepted, user: user ?? "" }];
    const set = (judgement) => {
      this.count += Number(judgement !== null) - Number(mapping.judgement !== null);
      mapping.judgement = judgement;
      this.show(item);
      this.showCount();
    };
    set(accepted === null ? null : { accepted, user });
    showError(byId("mappings-error"), null);
    this.saving = this.saving
      .then(() => call("v1/mappings/judgements", { query, body }))
      .catch((error) => {
        set(before);
        showError(byId("mappings-error"), error);
      });
  }

  show({ mapping: { judgement }, article, verdict, buttons }) {
    const user = judgement?.user ? ` by ${judgement.user}` : "";
    verdict.textContent = judgement ? `${judgement.accepted ? "accepted" : "rejected"}${user}` : "";
    article.classList.toggle("is-rejected", judgement?.accepted === false);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === String(judgement?.accepted)));
  }

  /** Saves the judgements as the server has them. */
  async save() {
    await this.saving;
    try {
      const accept = "text/tab-separated-values";
      const table = await call("v1/mappings/judgements", { query: { ...this.query(), format: "sssom" }, accept });
      download([table], accept, "judgements.sssom.tsv");
    } catch (error) {
      showError(byId("mappings-error"), error);
    }
  }
}
