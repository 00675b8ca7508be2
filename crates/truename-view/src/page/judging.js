// Judging of one item after another: an item with its candidates, beside the list of all. The items are names of a column
// (`review.js`) or mentions of texts (`mention_review.js`).

import { announce, ask, element, grouped, kept, percent } from "./dom.js";
import { candidateParts } from "./candidates.js";

/** Candidates shown for an item, one for each number key. */
export const MOST_CANDIDATES = 9;
/** Items on a page of the list. */
const PAGE = 50;

/** The judgement that no concept is meant. */
export const NIL = { id: null, preferred_name: null, matched_name: null };

/** What can be done with an item, with its keys. */
const JUDGE = [
  { action: "accept", keys: ["Enter"], label: "Accept", help: "accept the answer" },
  { action: "nil", keys: ["n"], label: "NIL", help: "NIL: no concept of the knowledge base is meant" },
  { action: "search", keys: ["/"], label: "Another concept", help: "search another concept" },
  { action: "never", keys: ["x"], label: "Never a mention", help: "the name is never a mention of a text" },
];
const MOVE = [
  { action: "skip", keys: ["s", "j", "ArrowDown"], label: "Skip", help: "skip to the next one" },
  { action: "back", keys: ["k", "ArrowUp"], label: "Back", help: "go back to the one before", isMinor: true },
  { action: "undo", keys: ["u"], label: "Undo", help: "undo the last judgement", isMinor: true },
  { action: "help", keys: ["?"], label: "Keys", help: "show these keys", isMinor: true },
];
/** Actions that need no item. */
const WITHOUT_ITEM = ["undo", "help", "missed"];
const KEY_NAMES = { ArrowDown: "↓", ArrowUp: "↑" };

/** Base of a review. `item` and `list` begin the ids of its elements, `noun` names an item, `actions` are further ones, `filters` pairs
 *  of a value and a label, `columns` those of the list behind name and answer, `tools` stand beside the filters. */
export class Judging {
  constructor({ item, list, noun, search, actions = [], filters, columns, tools = [] }) {
    Object.assign(this, { noun, search, history: [], decisions: new Map(), order: [], filter: "all", page: 0, isOver: false });
    this.buttons = [...JUDGE, ...actions, ...MOVE];
    this.actionOf = new Map(this.buttons.flatMap(({ action, keys }) => keys.map((key) => [key, action])));
    this.actions = {
      accept: () => this.judge(this.outcome(this.current)),
      nil: () => this.judge({ ...NIL, probability: this.answer(this.current).probability }),
      never: () => this.judge({ ...NIL, probability: this.answer(this.current).probability, stop_name: true }),
      search: () => this.searchAnother(),
      skip: () => this.move(1),
      back: () => this.move(-1),
      undo: () => this.undo(),
      help: () => this.help(),
    };
    this.build(item, list, { filters, columns, tools });
    this.listen();
  }

  // ---- What a review has of its own ------------------------------------------------------------------------------------

  /** Returns whether keys act. */
  get isShown() {
    return this.panes.isConnected && this.panes.offsetParent !== null;
  }

  /** Returns the user's name; null if it was asked for and not given. */
  async user() {
    return "";
  }

  /** Shows the numbers of items and judgements. */
  showSummary() {}

  // ---- Elements --------------------------------------------------------------------------------------------------------

  build(item, list, { filters, columns, tools }) {
    const part = (of, name, tag, properties = {}, ...children) =>
      element(tag, { id: `${of}-${name}`, ...properties }, ...children);
    const button = ({ action, keys, label }) =>
      element(
        "button",
        { type: "button", "data-key": action, class: action === "accept" ? "primary" : null },
        `${label} `,
        element("kbd", {}, KEY_NAMES[keys[0]] ?? keys[0]),
      );
    const [minor, major] = [this.buttons.filter(({ isMinor }) => isMinor), this.buttons.filter(({ isMinor }) => !isMinor)];
    this.place = part(item, "place", "p", { class: "hint" });
    this.name = part(item, "name", "h3", { dir: "auto" });
    this.answerLine = part(item, "answer", "p", { class: "answer" });
    this.choices = part(item, "choices", "ol", { class: "choices", "aria-label": "Candidates" });
    this.why = part(item, "why", "p", { class: "why", dir: "auto" });
    this.more = part(item, "more", "div");
    this.item = element(
      "section",
      { id: item, class: "item", tabIndex: -1, "aria-labelledby": `${item}-name`, "aria-describedby": `${item}-answer` },
      element(
        "div",
        { class: "item-head" },
        this.place,
        element("div", { class: "actions minor", role: "group", "aria-label": "Move" }, ...minor.map(button)),
      ),
      this.name,
      this.answerLine,
      this.more,
      element("div", { class: "actions", role: "group", "aria-label": "Judge" }, ...major.map(button)),
      this.choices,
      this.why,
    );
    this.filters = filters.map(([value, label]) => {
      const count = element("b", { "data-count": value });
      const radio = element("input", { type: "radio", name: `${list}-filter`, value, checked: value === "all" });
      return { value, count, radio, label: element("label", {}, radio, element("span", {}, `${label} `, count)) };
    });
    this.rows = part(list, "rows", "tbody");
    const headers = ["Name", "Answer", "Probability", ...columns];
    const header = (title, at) => element("th", { scope: "col", class: at >= 2 ? "number" : null }, title);
    const caption = element("caption", { class: "visually-hidden" }, `Every ${this.noun} with its answer`);
    const head = element("thead", {}, element("tr", {}, ...headers.map(header)));
    this.table = part(list, "table", "table", { class: columns.length > 0 ? "has-more" : null }, caption, head, this.rows);
    this.none = part(list, "none", "p", { class: "hint", hidden: true }, `No ${this.noun} is left here.`);
    this.before = part(list, "before", "button", { type: "button" }, "Previous");
    this.after = part(list, "after", "button", { type: "button" }, "Next");
    this.pageLine = part(list, "page", "span");
    this.pager = part(list, "pager", "nav", { class: "pager", "aria-label": `Pages of every ${this.noun}` });
    this.pager.append(this.before, " ", this.pageLine, " ", this.after);
    this.filterSet = element(
      "fieldset",
      { class: "filter", id: `${list}-filter` },
      element("legend", { class: "visually-hidden" }, "Shown in the list"),
      ...this.filters.map(({ label }) => label),
      ...tools,
    );
    const heading = element("h3", { id: `${list}-heading`, class: "visually-hidden" }, `Every ${this.noun}`);
    this.list = element("section", { id: list, class: "names", "aria-labelledby": `${list}-heading` });
    this.list.append(heading, this.filterSet, this.table, this.none, this.pager);
    this.panes = element("div", { class: "panes" }, this.item, this.list);
    this.buildHelp(item);
  }

  buildHelp(item) {
    const row = ({ keys, help }) => [
      element("dt", {}, ...keys.flatMap((key) => [element("kbd", {}, KEY_NAMES[key] ?? key), " "])),
      element("dd", {}, help),
    ];
    const numbers = { keys: ["1", "…", String(MOST_CANDIDATES)], help: "choose a candidate" };
    this.keysBox = element("input", { type: "checkbox", checked: kept.get("keys") !== "off" });
    this.helpUser = element("p", { class: "hint" });
    this.rename = element("button", { type: "button", hidden: true }, "Change your name");
    this.helpDialog = element(
      "dialog",
      { id: `${item}-help`, "aria-labelledby": `${item}-help-heading` },
      element(
        "form",
        { method: "dialog" },
        element("h2", { id: `${item}-help-heading` }, "Keys"),
        element("dl", { class: "keys" }, ...[numbers, ...this.buttons].flatMap(row)),
        element("label", { class: "check" }, this.keysBox, " use these keys"),
        this.helpUser,
        element(
          "div",
          { class: "row" },
          this.rename,
          " ",
          element("button", { type: "submit", class: "primary", value: "done" }, "Close"),
        ),
      ),
    );
    document.body.append(this.helpDialog);
  }

  listen() {
    document.addEventListener("keydown", (event) => this.key(event));
    for (const button of this.item.querySelectorAll("[data-key]")) {
      button.addEventListener("click", () => this.actions[button.dataset.key]());
    }
    this.choices.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.chooseCandidate(Number(button.dataset.position));
    });
    for (const { value, radio } of this.filters) {
      radio.addEventListener("change", () => {
        this.filter = value;
        this.showList({ follow: true });
      });
    }
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) this.go(Number(row.dataset.at));
    });
    this.before.addEventListener("click", () => this.turn(-1));
    this.after.addEventListener("click", () => this.turn(1));
    this.keysBox.addEventListener("change", ({ target }) => kept.set("keys", target.checked ? null : "off"));
  }

  /** Begins with items in an order and the decisions known of them. */
  start(order, decisions = new Map()) {
    Object.assign(this, { order, decisions, history: [], page: 0, isOver: false, filter: "all" });
    this.filters[0].radio.checked = true;
    this.showSummary();
  }

  /** Returns the judgement of an item, or else its answer. */
  outcome(at) {
    return this.decisions.get(at) ?? this.answer(at);
  }

  // ---- Moving ----------------------------------------------------------------------------------------------------------

  /** Returns whether an item belongs to the list by the filter. */
  isListed(at) {
    if (this.filter === "undecided") return !this.decisions.has(at);
    if (this.filter === "nil") return this.outcome(at).id === null;
    return true;
  }

  /** Shows an item and moves the focus to it. */
  async go(at, { focus = true } = {}) {
    this.current = at;
    this.isOver = false;
    this.showList({ follow: true });
    this.showItem();
    if (focus) this.focus();
  }

  focus() {
    this.item.focus({ preventScroll: true });
    this.item.scrollIntoView({ block: "nearest" });
  }

  /** Goes to the next listed item in a direction; the current one need not be listed any more. */
  move(direction) {
    const from = this.order.indexOf(this.current);
    for (let at = from + direction; at >= 0 && at < this.order.length; at += direction) {
      if (this.isListed(this.order[at])) return this.go(this.order[at]);
    }
    // Behind the last item come those that were skipped.
    const isJudged = direction > 0 && this.decisions.has(this.current);
    const skipped = isJudged ? this.order.find((at) => this.isListed(at) && !this.decisions.has(at)) : undefined;
    if (skipped !== undefined) return this.go(skipped);
    announce(`This is the ${direction > 0 ? "last" : "first"} ${this.noun}.`);
    this.showList({ follow: true });
    this.showItem();
    this.focus();
  }

  undecidedCount() {
    return this.order.length - this.decisions.size;
  }

  /** Says that every item is judged. */
  finish() {
    this.isOver = true;
    this.showList({ follow: false });
    this.showItem();
    announce(`Every ${this.noun} is judged.`);
    this.saveButton?.focus();
  }

  // ---- Judging ---------------------------------------------------------------------------------------------------------

  async chooseCandidate(position) {
    const at = this.current;
    const candidate = (await this.link(at))?.candidates[position];
    if (at === this.current && candidate) await this.judge(candidate);
  }

  async searchAnother() {
    const at = this.current;
    const chosen = await this.search.choose(this.title(at));
    this.focus();
    if (!chosen || at !== this.current) return;
    // The probability of a search speaks of the words searched for, not of the name.
    const own = (await this.link(at))?.candidates.find(({ id }) => id === chosen.id);
    await this.judge(own ?? { ...chosen, probability: null });
  }

  /** Takes a judgement of the item shown and goes on to the next. */
  async judge({ id, preferred_name, matched_name, probability, ...more }) {
    const at = this.current;
    const user = await this.user();
    if (user === null || at !== this.current) return this.focus();
    const verdict = { id, preferred_name, matched_name, probability, user };
    for (const mark of ["stop_name", "is_removed"]) if (more[mark]) verdict[mark] = true;
    this.history.push([at, this.decisions.get(at)]);
    this.decisions.set(at, verdict);
    this.record(at, verdict, user);
    announce(`${this.title(at)}: ${verdictOf(verdict)}. Judged.`);
    this.showSummary();
    if (this.undecidedCount() === 0) return this.finish();
    this.move(1);
  }

  /** Undoes the last judgement: the one before it counts again, or none. */
  async undo() {
    const last = this.history.pop();
    if (last === undefined) return announce("There is nothing to undo.");
    const [at, before] = last;
    const undone = this.decisions.get(at);
    if (before) this.decisions.set(at, before);
    else this.decisions.delete(at);
    this.record(at, before, await this.user(), undone);
    this.showSummary();
    await this.go(at);
    announce(`The judgement of ${this.title(at)} is undone.`);
  }

  async help() {
    this.helpUser.textContent = kept.get("user") ? `You judge as ${kept.get("user")}.` : "";
    this.keysBox.checked = kept.get("keys") !== "off";
    await ask(this.helpDialog);
    this.focus();
  }

  /** Keys act while the review is shown and no field, button or dialog takes them. */
  key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!this.isShown || document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=radio]), select, textarea")) return;
    if (target.closest("button, a, input, summary") && ["Enter", " ", "ArrowUp", "ArrowDown"].includes(key)) return;
    if (kept.get("keys") === "off" && key !== "Enter" && !key.startsWith("Arrow")) return;
    const name = this.actionOf.get(key) ?? this.actionOf.get(key.toLowerCase());
    const action = /^[1-9]$/.test(key) ? () => this.chooseCandidate(Number(key) - 1) : this.actions[name];
    if (action === undefined || (this.hasNoItem() && !WITHOUT_ITEM.includes(name))) return;
    event.preventDefault();
    action();
  }

  hasNoItem() {
    return this.isOver || this.order.length === 0;
  }

  // ---- What is shown ---------------------------------------------------------------------------------------------------

  showItem() {
    const [at, isNone] = [this.current, this.hasNoItem()];
    this.place.textContent = isNone ? "" : [...this.facts(at), ...this.judgedBy(at)].join(" · ");
    this.name.textContent = isNone ? this.overText() : this.title(at);
    this.answerLine.replaceChildren(...(isNone ? [this.overHint()] : this.answerParts(at)));
    this.showChoices(isNone ? null : at);
    for (const button of this.item.querySelectorAll("[data-key]")) {
      button.hidden = isNone && !WITHOUT_ITEM.includes(button.dataset.key);
    }
  }

  overText() {
    return this.order.length === 0 ? `No ${this.noun} was found` : `Every ${this.noun} is judged`;
  }

  judgedBy(at) {
    const decision = this.decisions.get(at);
    return decision ? [`judged${decision.user ? ` by ${decision.user}` : ""}`] : [];
  }

  answerParts(at) {
    const outcome = this.outcome(at);
    const { id, preferred_name, matched_name, probability } = outcome;
    const isJudged = this.decisions.has(at);
    const label = element("span", { class: "label-of" }, isJudged ? "Judgement" : "Answer", " ");
    if (id === null) return [label, element("strong", {}, verdictOf(outcome)), isJudged ? "" : " no candidate is likely enough"];
    const parts = candidateParts(
      { id, preferred_name: preferred_name ?? id, matched_name, probability: probability ?? 0 },
      { figure: (probability ?? null) !== null },
    );
    return [label, ...parts];
  }

  /** Shows the candidates of an item that are there, and why the answer is this one. */
  showChoices(at) {
    const link = at === null ? null : this.knownLink(at);
    const id = at === null ? null : this.outcome(at).id;
    const choice = (candidate, position) =>
      element(
        "li",
        {},
        element(
          "button",
          { type: "button", "data-position": position, class: candidate.id === id ? "is-answer" : null },
          element("kbd", {}, String(position + 1)),
          " ",
          ...candidateParts(candidate),
        ),
      );
    const choices = (link?.candidates ?? []).slice(0, MOST_CANDIDATES).map(choice);
    this.choices.replaceChildren(...choices);
    this.choices.hidden = choices.length === 0;
    this.why.textContent = link?.explanation ?? "";
  }

  /** Shows the page of the list with the item shown, or the page turned to. */
  showList({ follow }) {
    const listed = this.order.filter((at) => this.isListed(at));
    const pages = Math.max(1, Math.ceil(listed.length / PAGE));
    if (follow) {
      const place = listed.indexOf(this.current);
      if (place >= 0) this.page = Math.floor(place / PAGE);
    }
    this.page = Math.max(0, Math.min(pages - 1, this.page));
    const shown = listed.slice(this.page * PAGE, (this.page + 1) * PAGE);
    this.rows.replaceChildren(...shown.map((at) => this.row(at)));
    this.table.hidden = shown.length === 0;
    this.none.hidden = shown.length > 0;
    this.pager.hidden = pages === 1;
    this.pageLine.textContent = `Page ${grouped(this.page + 1)} of ${grouped(pages)}`;
    this.before.disabled = this.page === 0;
    this.after.disabled = this.page === pages - 1;
    this.keepInView();
  }

  /** Scrolls the list, not the page, so that the item shown is seen in it. */
  keepInView() {
    const row = this.rows.querySelector("[aria-current]");
    const { list } = this;
    if (!row || list.scrollHeight <= list.clientHeight) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < list.scrollTop + 60 || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }

  row(at) {
    const outcome = this.outcome(at);
    const isCurrent = at === this.current && !this.isOver;
    const isJudged = this.decisions.has(at);
    const mark = isJudged ? element("span", { class: "judged" }, element("span", { class: "visually-hidden" }, "judged ")) : null;
    const { id, preferred_name, probability } = outcome;
    const verdict =
      id === null
        ? element("span", { class: "nil-mark" }, verdictOf(outcome))
        : element("bdi", { dir: "auto" }, preferred_name ?? id);
    return element(
      "tr",
      { "data-at": at, "aria-current": isCurrent ? "true" : null, class: isJudged ? "is-judged" : null },
      element("th", { scope: "row" }, element("button", { type: "button", class: "plain", dir: "auto" }, this.title(at))),
      element("td", {}, mark, verdict),
      element("td", { class: "number" }, (probability ?? null) === null ? "–" : percent(probability)),
      ...this.cells(at).map((cell) => element("td", { class: "number" }, cell)),
    );
  }

  turn(by) {
    this.page += by;
    this.showList({ follow: false });
    announce(this.pageLine.textContent);
    this.list.scrollTop = 0;
  }

  /** Shows the number of items of each filter. */
  showCounts(counts) {
    for (const { value, count } of this.filters) count.textContent = grouped(counts[value]);
  }
}

/** Returns a judgement in words. */
export function verdictOf({ id, preferred_name, stop_name, is_removed }) {
  if (stop_name) return "never a mention";
  if (is_removed) return "no mention here";
  return id === null ? "NIL" : (preferred_name ?? id);
}
