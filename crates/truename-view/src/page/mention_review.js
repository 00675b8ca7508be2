// The review of the mentions of linked texts: their concepts, their bounds, and mentions that were missed.

import { announce, byId, counted, download, element, grouped, kept, settled } from "./dom.js";
import { AnnotatedText, moved, selectedArticle, trimmed } from "./annotated_text.js";
import { doubtOf } from "./candidates.js";
import { Judging, NIL } from "./judging.js";
import { brat, jsonl, pubtator, zip } from "./saved.js";

/** Doubt from which an answer is listed as doubtful. */
const DOUBTFUL = 0.5;
/** Letters shown around a span whose bounds are set. */
const SHOWN_AROUND = 60;

const FILTERS = [
  ["all", "All"],
  ["undecided", "Undecided"],
  ["nil", "NIL"],
  ["doubtful", "Doubtful"],
];
const ACTIONS = [
  { action: "none", keys: ["d"], label: "No mention", help: "it is no mention here" },
  {
    action: "bounds",
    keys: ["b"],
    label: "Wrong bounds",
    help: "set the bounds: select the right text, or move them by the arrow keys",
  },
  { action: "missed", keys: ["m"], label: "Missed mention", help: "add a mention: select its text before or after" },
  { action: "rest", keys: ["a"], label: "Accept the rest", help: "accept all undecided answers of this document" },
];
const FORMATS = {
  jsonl: { label: "JSONL", type: "application/x-ndjson", name: "judged.jsonl", write: (documents) => [jsonl(documents)] },
  pubtator: { label: "PubTator", type: "text/plain", name: "judged.pubtator", write: (documents) => [pubtator(documents)] },
  brat: { label: "brat (ZIP)", type: "application/zip", name: "judged.brat.zip", write: (documents) => zip(brat(documents)) },
};

export class MentionReview extends Judging {
  /** `server` saves the judgements of names and tells the types of concepts; null for a page without one. */
  constructor(search, server = null) {
    const type = element("select", { "aria-label": "Type" });
    const words = element("input", {
      type: "search",
      "aria-label": "Words in the list",
      placeholder: "Search",
      id: "mentions-words",
    });
    super({
      item: "mention",
      list: "mentions",
      noun: "mention",
      search,
      actions: ACTIONS,
      filters: FILTERS,
      columns: [],
      tools: [type, words],
    });
    Object.assign(this, { server, typeFilter: type, words, items: [], documents: [], bounds: null, texts: new Map() });
    Object.assign(this.actions, {
      none: () => this.judge({ ...NIL, probability: this.answer(this.current).probability, is_removed: true }),
      bounds: () => this.setBounds(this.current),
      missed: () => this.addMissed(),
      rest: () => this.acceptRest(),
    });
    this.typeFilter.addEventListener("change", () => this.showList({ follow: true }));
    this.words.addEventListener(
      "input",
      settled(() => this.showList({ follow: false })),
    );
    document.addEventListener("selectionchange", () => this.followSelection());
    addEventListener("pagehide", () => this.keep());
    this.keepSoon = settled(() => this.keep());
    this.buildBounds();
    this.buildPanel();
  }

  buildPanel() {
    this.summary = element("p", { id: "mentions-summary", class: "status" });
    this.savedLine = element("p", { id: "mentions-saved", class: "saved" });
    this.format = element("select", { "aria-label": "Format", id: "mentions-format" });
    this.format.append(...Object.entries(FORMATS).map(([value, { label }]) => new Option(label, value)));
    this.saveButton = element("button", { type: "button", id: "mentions-save", class: "primary" }, "Save documents");
    this.saveButton.addEventListener("click", () => this.save());
    this.tools = element("p", { class: "row" }, this.saveButton, " ", this.format);
    this.panel = element("aside", { class: "judging", "aria-label": "Judge the mentions", hidden: true });
    this.fileLine = element("p", { id: "mentions-file", class: "hint" });
    const head = element("div", { class: "summary" }, this.summary, this.tools);
    this.panel.append(head, this.fileLine, this.savedLine, this.panes);
    // A click on a button leaves what is selected in the text.
    this.panel.addEventListener("mousedown", (event) => {
      if (event.target.closest("button")) event.preventDefault();
    });
  }

  buildBounds() {
    this.boundsText = element("p", { class: "bounds-text", dir: "auto" });
    const key = (name) => element("kbd", {}, name);
    const hint = [
      "Select the text, or move the end by ",
      key("←"),
      " ",
      key("→"),
      ", the start with ",
      key("Shift"),
      ", all by ",
      key("↑"),
      " ",
      key("↓"),
    ];
    const use = element("button", { type: "button", class: "primary", id: "bounds-use" }, "Use these bounds ", key("Enter"));
    const cancel = element("button", { type: "button", id: "bounds-cancel" }, "Cancel ", key("Esc"));
    use.addEventListener("click", () => this.endBounds(true));
    cancel.addEventListener("click", () => this.endBounds(false));
    const hintLine = element("p", { class: "hint" }, ...hint);
    this.boundsBox = element("div", { class: "bounds", role: "group", "aria-label": "Bounds", hidden: true });
    this.boundsBox.append(this.boundsText, hintLine, element("p", { class: "row" }, use, " ", cancel));
    this.typeInput = element("input", { type: "text", id: "mention-type", list: "mention-types", autocomplete: "off" });
    this.typeInput.addEventListener("change", () => this.setType(this.typeInput.value.trim()));
    this.typeChoices = element("datalist", { id: "mention-types" });
    this.typeLine = element(
      "p",
      { class: "row" },
      element("label", { htmlFor: "mention-type" }, "Type"),
      this.typeInput,
      this.typeChoices,
    );
    this.more.append(this.boundsBox, this.typeLine);
  }

  /** Begins with linked documents, whose offsets count UTF-16 units, and the articles that show them; mentions are left out unless
   *  their types are allowed. */
  begin(documents, articles, allows = () => true) {
    Object.assign(this, { documents, articles, items: [], bounds: null, texts: new Map() });
    this.endBounds(false);
    documents.forEach((document, number) => {
      const items = document.mentions.map((mention, place) => ({ ...mention, document: number, place, isAdded: false }));
      this.items.push(...items.filter(({ types }) => allows(types)));
    });
    this.storeKey = `mentions ${fingerprint(documents)}`;
    const decisions = this.restored();
    this.offerTypes();
    this.items.forEach((item, at) => {
      const mark = this.mark(at);
      mark?.addEventListener("focus", () => this.show(at));
      mark?.addEventListener("click", () => this.show(at));
    });
    this.panel.hidden = false;
    this.words.value = "";
    this.start(this.inOrder(), decisions);
    this.items.forEach((_, at) => this.showMark(at));
    this.highlight();
    this.current = this.order.find((at) => !this.decisions.has(at)) ?? this.order[0];
    this.showList({ follow: true });
    this.showItem();
  }

  /** Ends the review of these documents. */
  forget() {
    this.keep();
    this.endBounds(false);
    Object.assign(this, { documents: [], items: [] });
    this.panel.hidden = true;
    this.start([]);
  }

  inOrder() {
    const place = (at) => this.items[at];
    const order = [...this.items.keys()].filter((at) => !this.items[at].isGone);
    const before = (left, right) => left.document - right.document || left.start - right.start || right.end - left.end;
    return order.sort((left, right) => before(place(left), place(right)) || left - right);
  }

  // ---- An item ---------------------------------------------------------------------------------------------------------

  answer(at) {
    const { id = null, preferred_name = null, matched_name = null, probability = null } = this.items[at];
    return { id, preferred_name, matched_name, probability };
  }

  title(at) {
    return this.surface(this.items[at]);
  }

  /** Returns the text of a mention, without what lies between its fragments. */
  surface({ document, start, end, fragments = [] }) {
    const { text } = this.documents[document];
    return fragments.length > 0 ? fragments.map((piece) => text.slice(...piece)).join(" ") : text.slice(start, end);
  }

  /** Returns the name that is judged with a mention: the long form of an abbreviation. */
  nameOf(at) {
    return this.items[at].long_form ?? this.title(at);
  }

  facts(at) {
    const { document, types } = this.items[at];
    const place = `Mention ${grouped(this.order.indexOf(at) + 1)} of ${grouped(this.order.length)}`;
    return [place, ...(this.documents.length > 1 ? [this.nameOfDocument(document)] : []), ...types];
  }

  nameOfDocument(number) {
    return this.documents[number].id || `Document ${grouped(number + 1)}`;
  }

  cells() {
    return [];
  }

  overHint() {
    return this.order.length === 0 ? "Missed mentions can be added." : "The documents can be saved.";
  }

  knownLink(at) {
    return this.items[at];
  }

  async link(at) {
    return this.items[at];
  }

  mark(at) {
    const { document, place, isAdded } = this.items[at];
    return isAdded ? null : byId(`mention-${document + 1}-${place + 1}`);
  }

  text(document) {
    if (!this.texts.has(document)) this.texts.set(document, new AnnotatedText(this.articles[document]));
    return this.texts.get(document);
  }

  // ---- The list --------------------------------------------------------------------------------------------------------

  isListed(at) {
    const item = this.items[at];
    if (this.typeFilter.value !== "" && !item.types.includes(this.typeFilter.value)) return false;
    if (this.filter === "doubtful" && !this.isDoubtful(at)) return false;
    return super.isListed(at) && this.hasWords(at);
  }

  hasWords(at) {
    const words = this.words.value.trim().toLowerCase();
    if (words === "") return true;
    const { id, preferred_name } = this.outcome(at);
    const said = [this.title(at), preferred_name, id, this.nameOfDocument(this.items[at].document)];
    return said.some((text) => text?.toLowerCase().includes(words));
  }

  isDoubtful(at) {
    return doubtOf((this.items[at].candidates ?? []).map(({ probability }) => probability)) >= DOUBTFUL;
  }

  offerTypes() {
    const types = [...new Set(this.items.flatMap((item) => item.types))].sort();
    const chosen = this.typeFilter.value;
    this.typeFilter.replaceChildren(new Option("All types", ""), ...types.map((type) => new Option(type, type)));
    this.typeFilter.value = types.includes(chosen) ? chosen : "";
    this.typeFilter.hidden = types.length < 2;
    this.typeChoices.replaceChildren(...types.map((type) => new Option(type)));
  }

  showSummary() {
    const nil = this.order.filter((at) => this.outcome(at).id === null).length;
    const doubtful = this.order.filter((at) => this.isDoubtful(at)).length;
    this.showCounts({ all: this.order.length, undecided: this.undecidedCount(), nil, doubtful });
    const [whole, all] = [this.judgedDocuments().length, this.documents.length];
    const documents = all > 1 ? ` in ${counted(all, "document")}, ${grouped(whole)} judged whole` : "";
    this.summary.textContent = `${counted(this.order.length, "mention")}${documents} · ${grouped(this.decisions.size)} judged`;
    this.saveButton.disabled = whole === 0;
  }

  async go(at, options) {
    if (this.bounds) this.endBounds(false);
    await super.go(at, options);
    this.reveal(at);
  }

  /** Shows an item that the user went to in the text. */
  show(at) {
    if (this.bounds || at === this.current || !this.order.includes(at)) return;
    [this.current, this.isOver] = [at, false];
    this.showList({ follow: true });
    this.showItem();
  }

  /** Scrolls the text to a mention. */
  reveal(at) {
    const item = this.items[at];
    const mark = this.mark(at);
    if (mark) mark.scrollIntoView({ block: "nearest" });
    else this.text(item.document).select([item.start, item.end]);
  }

  showItem() {
    super.showItem();
    document.querySelectorAll(".mention.is-current").forEach((mark) => mark.classList.remove("is-current"));
    const isNone = this.hasNoItem();
    this.typeLine.hidden = isNone || !this.items[this.current].isAdded;
    if (isNone) return;
    this.typeInput.value = this.items[this.current].types[0] ?? "";
    this.mark(this.current)?.classList.add("is-current");
  }

  /** Shows in the text how a mention was judged. */
  showMark(at) {
    const [decision, mark] = [this.decisions.get(at), this.mark(at)];
    if (mark === null) return;
    mark.classList.toggle("is-judged", decision !== undefined);
    mark.classList.toggle("is-removed", Boolean(decision?.stop_name || decision?.is_removed));
    const label = mark.querySelector(":scope > .label");
    if (label && this.items[at].candidates) label.textContent = this.outcome(at).id ?? "NIL";
  }

  /** Highlights the spans that were set by hand, where the browser can. */
  highlight() {
    if (typeof Highlight === "undefined") return;
    const own = this.items.filter(({ isAdded, isMoved, isGone }) => (isAdded || isMoved) && !isGone);
    const ranges = own.map(({ document: number, start, end }) => this.text(number).range([start, end]));
    CSS.highlights.set("judged-span", new Highlight(...ranges));
  }

  // ---- Judging ---------------------------------------------------------------------------------------------------------

  async user() {
    return this.server ? this.server.user() : "";
  }

  /** Keeps a judgement in the browser, and saves that of its name on the server. */
  record(at, judgement, user, undone) {
    this.showMark(at);
    this.keepSoon();
    // That a mention is none here says nothing of its name.
    if (!this.server || (judgement ?? undone).is_removed) return;
    const name = this.nameOf(at);
    const isOfName = (other) => this.nameOf(other) === name && !this.decisions.get(other).is_removed;
    const standing = judgement ?? this.decisions.get([...this.decisions.keys()].filter(isOfName).at(-1));
    this.server.add({ ...(standing ?? { id: null, withdrawn: true }), name: standing?.stop_name ? this.title(at) : name, user });
  }

  /** Accepts the answers of the document that have no judgement. */
  async acceptRest() {
    const { document } = this.items[this.current];
    const user = await this.user();
    if (user === null) return this.focus();
    const rest = this.order.filter((at) => this.items[at].document === document && !this.decisions.has(at));
    for (const at of rest) {
      const judgement = { ...this.answer(at), user };
      this.history.push([at, undefined]);
      this.decisions.set(at, judgement);
      this.record(at, judgement, user);
    }
    announce(`${counted(rest.length, "answer")} of ${this.nameOfDocument(document)} accepted.`);
    this.showSummary();
    const next = this.order.find((at) => !this.decisions.has(at));
    if (next === undefined) return this.finish();
    await this.go(next);
  }

  async undo() {
    const last = this.history.at(-1);
    if (typeof last?.undo !== "function") return super.undo();
    this.history.pop();
    last.undo();
    this.highlight();
    this.keepSoon();
    this.showSummary();
    this.showList({ follow: true });
    this.showItem();
    announce("The bounds are as they were.");
  }

  setType(type) {
    this.items[this.current].types = type === "" ? [] : [type];
    this.offerTypes();
    this.keepSoon();
  }

  // ---- Bounds ----------------------------------------------------------------------------------------------------------

  /** Lets the user set the bounds of a mention. What is selected already is taken. */
  setBounds(at) {
    const { document, start, end } = this.items[at];
    this.beginBounds({ at, document, span: this.text(document).selected() ?? [start, end] });
  }

  /** Lets the user set the bounds of a mention that was missed: of what is selected, else of the word after the one shown. */
  addMissed() {
    const number = this.articles.indexOf(selectedArticle());
    const selected = number >= 0 ? this.text(number).selected() : null;
    if (selected) return this.beginBounds({ at: null, document: number, span: selected });
    const { document, end } = this.items[this.current] ?? { document: 0, end: 0 };
    const { text } = this.documents[document];
    const word = moved(text, [end, end], "ArrowDown");
    this.beginBounds({ at: null, document, span: word[0] < word[1] ? word : [0, text.length] });
  }

  beginBounds(bounds) {
    this.bounds = bounds;
    this.boundsBox.hidden = false;
    this.selectBounds(bounds.span);
    this.focus();
    announce(`Set the bounds, now ${this.boundsShown()}`);
  }

  selectBounds(span) {
    this.bounds.span = span;
    this.text(this.bounds.document).select(span);
    this.showBounds();
  }

  boundsShown() {
    const { document, span } = this.bounds;
    return `“${this.documents[document].text.slice(...span)}”`;
  }

  showBounds() {
    const { document, span } = this.bounds;
    const { text } = this.documents[document];
    const [start, end] = span;
    const before = text.slice(Math.max(0, start - SHOWN_AROUND), start);
    const after = text.slice(end, end + SHOWN_AROUND);
    this.boundsText.replaceChildren(before, element("mark", {}, text.slice(start, end)), after);
  }

  /** Follows what the user selects while bounds are set. */
  followSelection() {
    if (!this.bounds) return;
    const number = this.articles.indexOf(selectedArticle());
    const isHere = number >= 0 && (this.bounds.at === null || number === this.bounds.document);
    const selected = isHere ? this.text(number).selected() : null;
    if (selected === null) return;
    Object.assign(this.bounds, { document: number, span: selected });
    this.showBounds();
  }

  endBounds(isUsed) {
    if (!this.bounds) {
      this.boundsBox.hidden = true;
      return;
    }
    const { at, document, span } = this.bounds;
    const bounds = trimmed(this.documents[document].text, span);
    this.bounds = null;
    this.boundsBox.hidden = true;
    getSelection().removeAllRanges();
    this.focus();
    if (!isUsed || bounds === null) return;
    if (at === null) this.add(document, bounds);
    else this.moveMention(at, bounds);
  }

  moveMention(at, [start, end]) {
    const item = this.items[at];
    const { start: oldStart, end: oldEnd, fragments, isMoved, long_form } = item;
    Object.assign(item, { start, end, fragments: [], isMoved: true, long_form: undefined });
    const undo = () => {
      Object.assign(item, { start: oldStart, end: oldEnd, fragments, isMoved, long_form });
      this.showMark(at);
    };
    this.history.push({ undo });
    this.settle(at);
    announce(`The bounds are set to ${this.title(at)}. Accept or choose its concept.`);
  }

  async add(document, [start, end]) {
    const twin = this.items.find((item) => this.surface(item) === this.documents[document].text.slice(start, end));
    const { types = [], candidates = [], explanation } = twin ?? {};
    const item = { document, start, end, types: [...types], candidates, explanation, id: null, place: null, isAdded: true };
    const at = this.items.push(item) - 1;
    const undo = () => {
      item.isGone = true;
      this.order = this.inOrder();
      this.current = this.order[0];
    };
    this.history.push({ undo });
    this.order = this.inOrder();
    [this.current, this.isOver] = [at, false];
    this.settle(at);
    announce(`${this.title(at)} is added. Choose its concept.`);
    await this.searchAnother();
  }

  settle(at) {
    this.showMark(at);
    this.highlight();
    this.keepSoon();
    this.showSummary();
    this.showList({ follow: true });
    this.showItem();
    this.focus();
  }

  /** Gives a mention without a type that of the concept chosen. */
  async judge(verdict) {
    const item = this.items[this.current];
    if (item.types.length === 0 && verdict.id !== null) {
      const alike = this.items.find((other) => other.id === verdict.id && other.types.length > 0);
      const types = alike?.types ?? (await this.server?.typesOf(verdict.id)) ?? [];
      item.types = [...types];
      this.offerTypes();
    }
    await super.judge(verdict);
  }

  key(event) {
    if (!this.bounds) return super.key(event);
    if (event.ctrlKey || event.metaKey || event.altKey || !this.isShown || event.target.closest("input, select, textarea"))
      return;
    if (event.key === "Escape") this.endBounds(false);
    else if (event.key === "Enter" && !event.target.closest("button")) this.endBounds(true);
    else {
      const span = moved(this.documents[this.bounds.document].text, this.bounds.span, event.key, event.shiftKey);
      if (span === null) return;
      this.selectBounds(span);
      announce(this.boundsShown());
    }
    event.preventDefault();
  }

  // ---- What is kept and saved ------------------------------------------------------------------------------------------

  /** Keeps judgements and bounds in the browser until the page is opened again. */
  keep() {
    if (this.documents.length === 0) return;
    const entry = (item, at) => {
      const { document, place, start, end, types, isAdded, isMoved } = item;
      const decision = this.decisions.get(at);
      if (item.isGone || (!decision && !isAdded && !isMoved)) return [];
      return [{ document, place, start, end, types, isAdded, isMoved, decision }];
    };
    const entries = this.items.flatMap(entry);
    kept.set(this.storeKey, entries.length === 0 ? null : JSON.stringify(entries));
  }

  /** Takes over what an earlier visit kept. Returns the judgements. */
  restored() {
    const decisions = new Map();
    let entries;
    try {
      entries = JSON.parse(kept.get(this.storeKey) ?? "[]");
    } catch {
      entries = [];
    }
    for (const { document, place, start, end, types, isAdded, isMoved, decision } of entries) {
      const added = { document, place, start, end, types, candidates: [], id: null, isAdded };
      const at = isAdded
        ? this.items.push(added) - 1
        : this.items.findIndex((item) => item.document === document && item.place === place);
      if (at < 0) continue;
      if (isMoved) Object.assign(this.items[at], { start, end, fragments: [], isMoved });
      if (decision) decisions.set(at, decision);
    }
    return decisions;
  }

  /** Returns the numbers of the documents with mentions all of which are judged. */
  judgedDocuments() {
    const left = new Map();
    for (const at of this.order) {
      const { document } = this.items[at];
      left.set(document, (left.get(document) ?? 0) + Number(!this.decisions.has(at)));
    }
    return [...left.keys()].filter((document) => left.get(document) === 0);
  }

  /** Returns the documents that are judged whole, with their mentions as judged. */
  judged() {
    const mentions = new Map(this.judgedDocuments().map((document) => [document, []]));
    for (const at of this.inOrder()) {
      const { document, start, end, fragments, types, assertions } = this.items[at];
      const decision = this.decisions.get(at);
      if (!mentions.has(document) || decision.stop_name || decision.is_removed) continue;
      mentions.get(document).push({ start, end, fragments, types, id: decision.id, assertions });
    }
    return [...mentions].map(([document, judged]) => {
      const { id, text, passages } = this.documents[document];
      return { id, text, passages, mentions: judged };
    });
  }

  save() {
    const documents = this.judged();
    const { type, name, write } = FORMATS[this.format.value];
    download(write(documents), type, name);
    const left = this.documents.length - documents.length;
    const note = left > 0 ? ` ${counted(left, "document")} without judgements of all mentions left out.` : "";
    this.fileLine.textContent = `${counted(documents.length, "document")} saved.${note}`;
    announce(this.fileLine.textContent);
  }
}

/** Returns digits that tell some linked documents from others (FNV-1a). */
function fingerprint(documents) {
  let hash = 0x811c9dc5;
  for (const { id, text, mentions } of documents) {
    const spans = mentions.map(({ start, end }) => `${start}-${end}`).join();
    for (const part of `${id}\n${text}\n${spans}`) hash = Math.imul(hash ^ part.codePointAt(0), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}
