// The review of the names of a column: one name at a time with its candidates, beside the list of all.

import { announce, ask, byId, counted, element, grouped, kept, percent, said } from "./dom.js";
import { fetchConcept } from "./browse.js";
import { candidateParts, ConceptSearch } from "./concept_search.js";
import { explained } from "./matching.js";

/** Candidates shown for a name, one for each number key. */
const MOST_CANDIDATES = 9;
/** Names whose candidates are fetched together, from the one shown. */
const FETCHED_AHEAD = 12;
/** Names whose candidates are kept. */
const MOST_FETCHED = 400;
/** Names on a page of the list. */
const PAGE = 50;

const KEYS = {
  Enter: "accept",
  n: "nil",
  "/": "search",
  s: "skip",
  j: "skip",
  ArrowDown: "skip",
  k: "back",
  ArrowUp: "back",
  u: "undo",
  "?": "help",
};

/** The judgement that no concept is meant. */
const NIL = { id: null, preferred_name: null, matched_name: null };

export class Review {
  constructor(judgements) {
    this.judgements = judgements;
    this.search = new ConceptSearch();
    this.section = byId("review");
    this.item = byId("item");
    this.actions = {
      accept: () => this.accept(),
      nil: () => this.judge({ ...NIL, probability: this.answers[this.current].probability }),
      search: () => this.searchAnother(),
      skip: () => this.move(1),
      back: () => this.move(-1),
      undo: () => this.undo(),
      help: () => this.help(),
    };
    this.listen();
  }

  listen() {
    document.addEventListener("keydown", (event) => this.key(event));
    for (const button of this.section.querySelectorAll("[data-key]")) {
      button.addEventListener("click", () => this.actions[button.dataset.key]());
    }
    byId("item-choices").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.chooseCandidate(Number(button.dataset.position));
    });
    byId("names-filter").addEventListener("change", (event) => {
      this.filter = event.target.value;
      this.showList({ follow: true });
    });
    byId("names-rows").addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) this.go(Number(row.dataset.name));
    });
    byId("names-before").addEventListener("click", () => this.turn(-1));
    byId("names-after").addEventListener("click", () => this.turn(1));
    byId("help-rename").addEventListener("click", async () => {
      byId("help-dialog").close();
      await this.judgements.user(true);
    });
    byId("help-keys").checked = kept.get("keys") !== "off";
    byId("help-keys").addEventListener("change", ({ target }) => kept.set("keys", target.checked ? null : "off"));
  }

  /** Begins the review. `names`, `counts` (rows a name) and `answers` have one entry a name, `order` lists their positions, and `judged`
   *  are earlier judgements. */
  async begin({ names, counts, answers, order, judged, types }) {
    // A cell without a name is no name to judge.
    const named = order.filter((at) => names[at].trim() !== "");
    Object.assign(this, {
      names,
      counts,
      answers,
      order: named,
      types,
      history: [],
      links: new Map(),
      filter: "all",
      page: 0,
      isOver: false,
    });
    this.decisions = new Map();
    await this.takeOver(judged);
    document.querySelector('[name="filter"][value="all"]').checked = true;
    this.showSummary();
    this.showSaved();
    const first = named.find((at) => !this.decisions.has(at));
    if (first === undefined) return this.finish();
    await this.go(first);
  }

  /** Adopts earlier judgements of these names; the latest of each name counts. */
  async takeOver(judged) {
    const latest = new Map(judged.map((judgement) => [judgement.name, judgement]));
    const found = this.order.flatMap((at) => (latest.has(this.names[at]) ? [[at, latest.get(this.names[at])]] : []));
    for (const [at, { id, user }] of found) this.decisions.set(at, await this.decision(at, id, user));
  }

  /** Returns the decision for an id that was judged before, with the names of its concept. */
  async decision(at, id, user) {
    const answer = this.answers[at];
    if (id === null) return { ...NIL, probability: answer.probability, user };
    if (id === answer.id) return { ...answer, user };
    this.conceptNames ??= new Map();
    if (!this.conceptNames.has(id))
      this.conceptNames.set(
        id,
        await fetchConcept(id).then(
          ({ name }) => name ?? null,
          () => null,
        ),
      );
    return { id, preferred_name: this.conceptNames.get(id), matched_name: null, probability: null, user };
  }

  /** Returns the judgement of a name, or else its answer. */
  outcome(at) {
    return this.decisions.get(at) ?? this.answers[at];
  }

  // ---- Moving --------------------------------------------------------------------------------------------------------

  /** Returns whether a name belongs to the list by the filter. */
  isListed(at) {
    if (this.filter === "undecided") return !this.decisions.has(at);
    if (this.filter === "nil") return this.outcome(at).id === null;
    return true;
  }

  /** Shows a name and moves the focus to it. */
  async go(at, { focus = true } = {}) {
    this.current = at;
    this.isOver = false;
    this.showList({ follow: true });
    this.showItem();
    if (focus) this.focus();
    await this.fetchAhead();
  }

  focus() {
    this.item.focus({ preventScroll: true });
    this.item.scrollIntoView({ block: "nearest" });
  }

  /** Goes to the next listed name in a direction; the current name need not be listed any more. */
  move(direction) {
    const from = this.order.indexOf(this.current);
    for (let at = from + direction; at >= 0 && at < this.order.length; at += direction) {
      if (this.isListed(this.order[at])) return this.go(this.order[at]);
    }
    // Behind the last name come those that were skipped.
    const isJudged = direction > 0 && this.decisions.has(this.current);
    const skipped = isJudged ? this.order.find((at) => this.isListed(at) && !this.decisions.has(at)) : undefined;
    if (skipped !== undefined) return this.go(skipped);
    announce(direction > 0 ? "This is the last name." : "This is the first name.");
    this.showList({ follow: true });
    this.showItem();
    this.focus();
  }

  undecidedCount() {
    return this.order.length - this.decisions.size;
  }

  /** Says that every name is judged. */
  finish() {
    this.isOver = true;
    this.showList({ follow: false });
    this.showItem();
    announce("All names are judged.");
    byId("review-download").focus();
  }

  // ---- Judging -------------------------------------------------------------------------------------------------------

  accept() {
    const outcome = this.outcome(this.current);
    return this.judge(outcome);
  }

  async chooseCandidate(position) {
    const at = this.current;
    const link = await this.link(at);
    const candidate = link?.candidates[position];
    if (at === this.current && candidate) await this.judge(candidate);
  }

  async searchAnother() {
    const at = this.current;
    const chosen = await this.search.choose(this.names[at]);
    this.focus();
    if (!chosen || at !== this.current) return;
    // The probability of a search speaks of the words searched for, not of the name.
    const own = this.links.get(at)?.candidates.find(({ id }) => id === chosen.id);
    await this.judge(own ?? { ...chosen, probability: null });
  }

  /** Saves a judgement of the name shown and goes on to the next. */
  async judge({ id, preferred_name, matched_name, probability }) {
    const at = this.current;
    const user = await this.judgements.user();
    if (user === null || at !== this.current) return this.focus();
    this.history.push([at, this.decisions.get(at)]);
    this.decisions.set(at, { id, preferred_name, matched_name, probability, user });
    this.judgements.add({ name: this.names[at], id, user });
    announce(`${this.names[at]}: ${id === null ? "NIL" : preferred_name}. Judged.`);
    this.showSummary();
    if (this.undecidedCount() === 0) return this.finish();
    this.move(1);
  }

  /** Undoes the last judgement: the one before it counts again, or none. */
  async undo() {
    const last = this.history.pop();
    if (last === undefined) return announce("There is nothing to undo.");
    const [at, before] = last;
    const user = await this.judgements.user();
    if (before) this.decisions.set(at, before);
    else this.decisions.delete(at);
    const name = this.names[at];
    this.judgements.add(before ? { name, id: before.id, user } : { name, id: null, user, withdrawn: true });
    this.showSummary();
    this.showSaved();
    await this.go(at);
    announce(`The judgement of ${name} is undone.`);
  }

  async help() {
    byId("help-user").textContent = kept.get("user") ? `You judge as ${kept.get("user")}.` : "";
    await ask(byId("help-dialog"));
    this.focus();
  }

  /** Keys act while the review is shown and no field, button or dialog takes them. */
  key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (this.section.hidden || byId("view-table").hidden || document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=radio]), select, textarea")) return;
    if (target.closest("button, a, input, summary") && ["Enter", " ", "ArrowUp", "ArrowDown"].includes(key)) return;
    if (kept.get("keys") === "off" && key !== "Enter" && !key.startsWith("Arrow")) return;
    const action = /^[1-9]$/.test(key)
      ? () => this.chooseCandidate(Number(key) - 1)
      : this.actions[KEYS[key] ?? KEYS[key.toLowerCase()]];
    if (action === undefined || (this.isOver && !["u", "?"].includes(key))) return;
    event.preventDefault();
    action();
  }

  // ---- Candidates ----------------------------------------------------------------------------------------------------

  /** Returns the names after the one shown, as they are listed. */
  ahead() {
    const from = this.order.indexOf(this.current);
    const found = [];
    for (let at = from; at < this.order.length && found.length < FETCHED_AHEAD; at += 1) {
      if (at === from || this.isListed(this.order[at])) found.push(this.order[at]);
    }
    return found;
  }

  /** Fetches the candidates of the name shown, and of those after it in the same call. */
  async fetchAhead() {
    if (this.links.has(this.current)) {
      if (
        this.ahead()
          .slice(1, 4)
          .every((at) => this.links.has(at))
      )
        return;
    }
    const wanted = this.ahead().filter((at) => !this.links.has(at));
    if (wanted.length === 0) return;
    const fetching = explained(
      wanted.map((at) => this.names[at]),
      this.types,
      MOST_CANDIDATES,
    );
    const place = (at, position) => {
      const link = fetching.then(
        (links) => links[position],
        () => null,
      );
      this.pending.set(at, link);
      return link;
    };
    this.pending ??= new Map();
    const links = await Promise.all(wanted.map(place));
    wanted.forEach((at, position) => {
      this.pending.delete(at);
      if (links[position]) this.links.set(at, links[position]);
    });
    for (const at of this.links.keys()) {
      if (this.links.size <= MOST_FETCHED) break;
      this.links.delete(at);
    }
    if (wanted.includes(this.current)) this.showItem();
  }

  /** Returns a name's link with its candidates, once it is there. */
  link(at) {
    return this.links.get(at) ?? this.pending?.get(at);
  }

  // ---- What is shown -------------------------------------------------------------------------------------------------

  showItem() {
    const at = this.current;
    byId("item-place").textContent = this.isOver
      ? ""
      : [
          `Name ${grouped(this.order.indexOf(at) + 1)} of ${grouped(this.order.length)}`,
          `in ${counted(this.counts[at], "row")}`,
          ...this.judgedBy(at),
        ].join(" · ");
    byId("item-name").textContent = this.isOver ? "All names are judged" : this.names[at];
    byId("item-answer").replaceChildren(
      ...(this.isOver ? ["The download has your judgements in place of the answers."] : this.answerParts(at)),
    );
    this.showChoices(this.isOver ? null : this.links.get(at));
    for (const button of this.section.querySelectorAll("[data-key]")) {
      button.hidden = this.isOver && !["undo", "help"].includes(button.dataset.key);
    }
  }

  judgedBy(at) {
    const decision = this.decisions.get(at);
    return decision ? [`judged${decision.user ? ` by ${decision.user}` : ""}`] : [];
  }

  answerParts(at) {
    const { id, preferred_name, matched_name, probability } = this.outcome(at);
    const label = element("span", { class: "label-of" }, this.decisions.has(at) ? "Judgement" : "Answer", " ");
    if (id === null) return [label, element("strong", {}, "NIL"), this.decisions.has(at) ? "" : " no candidate is likely enough"];
    const parts = candidateParts(
      { id, preferred_name: preferred_name ?? id, matched_name, probability: probability ?? 0 },
      { figure: probability !== null },
    );
    return [label, ...parts];
  }

  showChoices(link) {
    const { id } = this.outcome(this.current);
    const choices = (link?.candidates ?? [])
      .slice(0, MOST_CANDIDATES)
      .map((candidate, position) =>
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
        ),
      );
    byId("item-choices").replaceChildren(...choices);
    byId("item-choices").hidden = choices.length === 0;
    byId("item-why").textContent = link?.explanation ?? "";
  }

  /** Shows the page of the list with the name shown, or the page turned to. */
  showList({ follow }) {
    const listed = this.order.filter((at) => this.isListed(at));
    const pages = Math.max(1, Math.ceil(listed.length / PAGE));
    if (follow) {
      const place = listed.indexOf(this.current);
      if (place >= 0) this.page = Math.floor(place / PAGE);
    }
    this.page = Math.max(0, Math.min(pages - 1, this.page));
    const shown = listed.slice(this.page * PAGE, (this.page + 1) * PAGE);
    byId("names-rows").replaceChildren(...shown.map((at) => this.row(at)));
    byId("names-table").hidden = shown.length === 0;
    byId("names-none").hidden = shown.length > 0;
    byId("names-pager").hidden = pages === 1;
    byId("names-page").textContent = `Page ${grouped(this.page + 1)} of ${grouped(pages)}`;
    byId("names-before").disabled = this.page === 0;
    byId("names-after").disabled = this.page === pages - 1;
    this.keepInView();
  }

  /** Scrolls the list, not the page, so that the name shown is seen in it. */
  keepInView() {
    const row = byId("names-rows").querySelector("[aria-current]");
    const list = byId("names");
    if (!row || list.scrollHeight <= list.clientHeight) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < list.scrollTop + 60 || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }

  row(at) {
    const { id, preferred_name, probability } = this.outcome(at);
    const isCurrent = at === this.current && !this.isOver;
    const isJudged = this.decisions.has(at);
    const mark = isJudged ? element("span", { class: "judged" }, element("span", { class: "visually-hidden" }, "judged ")) : null;
    return element(
      "tr",
      { "data-name": at, "aria-current": isCurrent ? "true" : null, class: isJudged ? "is-judged" : null },
      element("th", { scope: "row" }, said("button", this.names[at], { type: "button", class: "plain" })),
      element("td", {}, mark, id === null ? element("span", { class: "nil-mark" }, "NIL") : said("bdi", preferred_name ?? id)),
      element("td", { class: "number" }, probability === null ? "–" : percent(probability)),
      element("td", { class: "number" }, grouped(this.counts[at])),
    );
  }

  turn(by) {
    this.page += by;
    this.showList({ follow: false });
    announce(byId("names-page").textContent);
    byId("names").scrollTop = 0;
  }

  showSummary() {
    const nil = this.order.reduce((count, at) => count + Number(this.outcome(at).id === null), 0);
    const rows = this.order.reduce((sum, at) => sum + this.counts[at], 0);
    const counts = { all: this.order.length, undecided: this.undecidedCount(), nil };
    for (const [kind, count] of Object.entries(counts))
      this.section.querySelector(`[data-count="${kind}"]`).textContent = grouped(count);
    const said = [
      `${counted(counts.all, "distinct name")} in ${counted(rows, "row")}`,
      `${grouped(counts.all - nil)} linked`,
      `${grouped(nil)} NIL`,
      `${grouped(this.decisions.size)} judged`,
    ];
    byId("review-summary").textContent = said.join(" · ");
  }

  /** Shows whether the server has all judgements. */
  showSaved() {
    const { waiting, refused, error, saved } = this.judgements;
    const place = byId("review-saved");
    const said = [];
    if (waiting.length > 0)
      said.push(`${counted(waiting.length, "judgement")} not yet saved${error ? `: ${error.message}` : " …"}`);
    else if (saved > 0) said.push("All judgements are saved.");
    if (refused.length > 0)
      said.push(`The server did not take ${counted(refused.length, "judgement")}: ${refused.at(-1).error.message}`);
    place.textContent = said.join(" ");
    place.classList.toggle("is-unsaved", waiting.length + refused.length > 0);
    // A screen reader hears of trouble, not of every judgement saved.
    if (error && waiting.length > 0 && this.toldError !== error.message) announce(place.textContent);
    this.toldError = waiting.length > 0 ? error?.message : null;
  }
}
