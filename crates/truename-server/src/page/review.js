// The review of the names of a column: one name at a time with its candidates, beside the list of all.

import { announce, byId, counted, grouped } from "./dom.js";
import { fetchConcept } from "./browse.js";
import { Judging, MOST_CANDIDATES, NIL } from "./judging.js";
import { explained } from "./matching.js";

/** Names whose candidates are fetched together, from the one shown. */
const FETCHED_AHEAD = 12;
/** Names whose candidates are kept. */
const MOST_FETCHED = 400;
const FILTERS = [
  ["all", "All"],
  ["undecided", "Undecided"],
  ["nil", "NIL"],
];

export class Review extends Judging {
  constructor(judgements, search) {
    super({ item: "item", list: "names", noun: "name", search, filters: FILTERS, columns: ["Rows"] });
    this.judgements = judgements;
    this.saveButton = byId("review-download");
    byId("review-panes").append(this.panes);
    judgements.offerRename(this);
  }

  /** Begins the review. `names`, `counts` (rows a name) and `answers` have one entry a name, `order` lists their positions, `chances`
   *  those with which they were drawn, and `judged` are earlier judgements. */
  async begin({ names, counts, answers, order, chances, judged, types }) {
    // A cell without a name is no name to judge.
    const named = order.filter((at) => names[at].trim() !== "");
    Object.assign(this, { names, counts, answers, types, chances: new Map(order.map((at, place) => [at, chances[place]])), links: new Map() });
    this.start(named);
    await this.takeOver(judged);
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
    for (const [at, judgement] of found) this.decisions.set(at, await this.decision(at, judgement));
  }

  /** Returns the decision for an id that was judged before, with the names of its concept. */
  async decision(at, { id, user, stop_name }) {
    const answer = this.answers[at];
    if (id === null) return { ...NIL, probability: answer.probability, user, stop_name };
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

  answer(at) {
    return this.answers[at];
  }

  title(at) {
    return this.names[at];
  }

  facts(at) {
    const place = `Name ${grouped(this.order.indexOf(at) + 1)} of ${grouped(this.order.length)}`;
    return [place, `in ${counted(this.counts[at], "row")}`];
  }

  cells(at) {
    return [grouped(this.counts[at])];
  }

  overHint() {
    return "The download has your judgements in place of the answers.";
  }

  user() {
    return this.judgements.user();
  }

  /** Saves a judgement on the server; without one, the name's is withdrawn. */
  record(at, judgement, user) {
    this.judgements.add({ ...(judgement ?? { id: null, withdrawn: true }), name: this.names[at], user, chance: this.chances.get(at) });
  }

  async undo() {
    await super.undo();
    this.showSaved();
  }

  async go(at, options) {
    await super.go(at, options);
    await this.fetchAhead();
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

  /** Returns a name's link with its candidates if it is there. */
  knownLink(at) {
    return this.links.get(at);
  }

  /** Returns a name's link with its candidates, once it is there. */
  link(at) {
    return this.links.get(at) ?? this.pending?.get(at);
  }

  // ---- What is shown -------------------------------------------------------------------------------------------------

  showSummary() {
    const nil = this.order.reduce((count, at) => count + Number(this.outcome(at).id === null), 0);
    const rows = this.order.reduce((sum, at) => sum + this.counts[at], 0);
    const counts = { all: this.order.length, undecided: this.undecidedCount(), nil };
    this.showCounts(counts);
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
    const place = byId("review-saved");
    this.judgements.showSaved(place);
    const { error, waiting } = this.judgements;
    // A screen reader hears of trouble, not of every judgement saved.
    if (error && waiting.length > 0 && this.toldError !== error.message) announce(place.textContent);
    this.toldError = waiting.length > 0 ? error?.message : null;
  }
}
