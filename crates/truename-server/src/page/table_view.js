// The view that opens a table, matches a column of names, and hands over to the review.

import { announce, byId, counted, download, element, grouped, said, showError } from "./dom.js";
import { fourDecimals, match, reviewOrder } from "./matching.js";
import { Review } from "./review.js";
import { DIALECTS, Table } from "./table.js";
import { TypeChoice } from "./types.js";

const EXAMPLE = `row,name,seen in
1,heart atack,intake form
2,"Diabetes, type II",intake form
3,NIDDM,discharge letter
4,tumours of the lung,registry
5,Parkinsons disease,registry
6,alzheimer dementia,registry
7,acetaminophen,order
8,Paracetamol 500mg,order
9,Vit. B-12,order
10,β-carotene,lab
11,aspirine,order
12,oedema of the brain,radiology
13,kawasaki syndrom,intake form
14,"arthritis, rheumatoid",registry
15,ACTH,lab
16,the patient's cat,intake form
17,heart atack,discharge letter
18,high sugar,intake form
19,water tablets,order
20,cold sore,intake form
`;

/** Rows shown before a column is matched. */
const ROWS_SHOWN = 5;
/** Longest value shown of a cell, in characters. */
const CELL_SHOWN = 80;

const STEPS = ["table-open", "table-settings", "table-progress", "review"];

export class TableView {
  constructor(judgements, search) {
    this.types = new TypeChoice(byId("table-types"));
    this.judgements = judgements;
    this.review = new Review(judgements, search);
    judgements.listeners.push(() => this.review.showSaved());
    this.listen();
    this.step("table-open");
  }

  listen() {
    const guarded = (action) => async (event) => {
      event?.preventDefault?.();
      try {
        showError(byId("table-error"), null);
        await action(event);
      } catch (error) {
        showError(byId("table-error"), error);
      }
    };
    byId("table-file").addEventListener(
      "change",
      guarded(({ target }) => this.openFile(target.files[0])),
    );
    // Not every browser opens the file dialog on Enter.
    byId("table-file").addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        event.target.click();
      }
    });
    byId("table-open").addEventListener(
      "submit",
      guarded(() => this.read(byId("table-paste").value, "pasted.csv")),
    );
    byId("table-example").addEventListener(
      "click",
      guarded(() => this.read(EXAMPLE, "names.csv")),
    );
    byId("table-settings").addEventListener(
      "submit",
      guarded(() => this.match()),
    );
    byId("table-dialect").addEventListener(
      "change",
      guarded(() => this.reread({ keepHeader: false })),
    );
    byId("table-skipped").addEventListener(
      "change",
      guarded(() => this.reread({ keepHeader: false })),
    );
    byId("table-header").addEventListener(
      "change",
      guarded(() => this.reread({ keepHeader: true })),
    );
    byId("table-column").addEventListener("change", () => {
      this.table.column = Number(byId("table-column").value);
      this.showPreview();
    });
    byId("table-cancel").addEventListener("click", () => this.calling?.abort());
    byId("review-download").addEventListener(
      "click",
      guarded(() => this.download()),
    );
    byId("review-learn").addEventListener(
      "click",
      guarded(() => this.learn()),
    );
    for (const button of document.querySelectorAll('[data-action="close"]')) button.addEventListener("click", () => this.close());
    document
      .querySelector('[data-action="settings"]')
      .addEventListener("click", () => this.step("table-settings", byId("table-match")));
    this.listenToDrops(guarded);
    addEventListener("beforeunload", (event) => {
      if (this.judgements.waiting.length > 0) event.preventDefault();
    });
  }

  /** Takes a file dropped anywhere on the view. */
  listenToDrops(guarded) {
    const [view, drop] = [byId("view-table"), byId("table-drop")];
    view.addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
    view.addEventListener("dragleave", () => drop.classList.remove("over"));
    view.addEventListener(
      "drop",
      guarded((event) => {
        drop.classList.remove("over");
        const file = event.dataTransfer.files[0];
        if (file) return this.openFile(file);
        const text = event.dataTransfer.getData("text/plain");
        if (text) return this.read(text, "pasted.csv");
      }),
    );
  }

  /** Offers the types of another knowledge base. A table stays open, answers do not. */
  useBase(base) {
    this.types.offer(base.types);
    this.base = base.name;
    byId("review-learn").hidden = !base.learns;
    byId("review-learnt").hidden = true;
    this.calling?.abort();
    if (this.table) this.step("table-settings");
  }

  /** Shows one step; the focus goes to `focused` if given. */
  step(shown, focused) {
    for (const step of STEPS) byId(step).hidden = step !== shown;
    byId("view-table").classList.toggle("wide", shown === "review");
    focused?.focus();
  }

  close() {
    [this.table, this.answered] = [null, null];
    byId("table-file").value = "";
    this.step("table-open", byId("table-file"));
  }

  // ---- Opening -------------------------------------------------------------------------------------------------------

  async openFile(file) {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    byId("table-file").value = "";
    this.openBytes(bytes, file.name);
  }

  read(text, fileName) {
    this.openBytes(new TextEncoder().encode(text), fileName);
  }

  openBytes(bytes, fileName) {
    this.file = { bytes, fileName };
    this.table = new Table(bytes, fileName);
    this.showSettings();
    this.step("table-settings", byId("table-match"));
    announce(`${fileName}, ${byId("table-facts").textContent}`);
  }

  /** Reads the file again with the dialect chosen, and the header as chosen or guessed anew. */
  reread({ keepHeader }) {
    const dialect = DIALECTS.find(({ value }) => value === byId("table-dialect").value);
    const hasHeader = keepHeader ? byId("table-header").checked : undefined;
    const skipped = Math.max(0, Math.floor(Number(byId("table-skipped").value)) || 0);
    const column = keepHeader ? this.table.column : null;
    this.table = new Table(this.file.bytes, this.file.fileName, { dialect, hasHeader, skipped });
    if (column !== null && column < this.table.columns.length) this.table.column = column;
    this.showSettings();
  }

  showSettings() {
    const { table } = this;
    const rows = table.rowCount - table.firstValue;
    byId("table-name").textContent = table.fileName;
    const facts = [counted(rows, "row"), counted(table.columns.length, "column"), table.codec.name];
    if (table.openQuotes > 0) facts.push(`${counted(table.openQuotes, "quote")} never closed, or closed rows below`);
    byId("table-facts").textContent = facts.join(" · ");
    byId("table-dialect").replaceChildren(
      ...DIALECTS.map((dialect) => new Option(dialect.label, dialect.value, false, dialect.value === table.dialect.value)),
    );
    byId("table-column").replaceChildren(
      ...table.columns.map((title, at) => new Option(title.trim() || `column ${at + 1}`, at, false, at === table.column)),
    );
    byId("table-skipped").value = table.skipped;
    byId("table-header").checked = table.hasHeader;
    this.showPreview();
  }

  /** Shows the first rows, with the column of names marked. */
  showPreview() {
    const { table } = this;
    const marked = (at) => (at === table.column ? "chosen" : null);
    const shortened = (text) => (text.length > CELL_SHOWN ? `${text.slice(0, CELL_SHOWN)}…` : text);
    const head = table.columns.map((title, at) => said("th", shortened(title), { scope: "col", class: marked(at) }));
    const rows = table
      .someRows(table.firstValue, ROWS_SHOWN)
      .map((cells) =>
        element("tr", {}, ...table.columns.map((_, at) => said("td", shortened(cells[at] ?? ""), { class: marked(at) }))),
      );
    const caption = element("caption", { class: "visually-hidden" }, "First rows of the table");
    byId("table-preview").replaceChildren(
      caption,
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows),
    );
    this.distinct = null;
    const count = this.names().names.length;
    byId("table-match").textContent = `Match ${counted(count, "distinct name")}`;
  }

  /** Returns the distinct names of the chosen column. */
  names() {
    this.distinct ??= this.table.distinct(this.table.column);
    return this.distinct;
  }

  // ---- Matching ------------------------------------------------------------------------------------------------------

  async match() {
    const distinct = this.names();
    if (this.types.isEmpty()) throw Object.assign(new Error("No type is chosen."), { hint: "Choose at least one." });
    const calling = new AbortController();
    this.calling = calling;
    this.progress(0, distinct.names.length);
    this.step("table-progress", byId("table-cancel"));
    try {
      const { signal } = calling;
      const types = this.types.chosen();
      const onProgress = (done) => this.progress(done, distinct.names.length);
      const onWait = (seconds) => {
        byId("table-progress-text").textContent = `The server is busy; trying again in ${counted(seconds, "second")}`;
      };
      const answers = await match(distinct.names, types, this.known(types), { signal, onProgress, onWait });
      byId("table-progress-text").textContent = "Ordering the names, doubtful ones first";
      const [{ order, chances }, judged] = await Promise.all([reviewOrder(answers, signal), this.judgements.all()]);
      this.step("review");
      const waiting = this.judgements.waiting.filter(({ base }) => base === this.base);
      await this.review.begin({ ...distinct, answers, order, chances, judged: [...judged, ...waiting], types });
    } catch (error) {
      this.step("table-settings", byId("table-match"));
      if (!calling.signal.aborted) throw error;
      announce("Matching was cancelled.");
    }
  }

  /** Returns the answers that are known by the knowledge base and the types in use. */
  known(types) {
    const asked = JSON.stringify([this.base, types]);
    if (this.answered?.asked !== asked) this.answered = { asked, known: new Map() };
    return this.answered.known;
  }

  progress(done, all) {
    byId("table-progress-text").textContent = `Matched ${grouped(done)} of ${counted(all, "name")}`;
    byId("table-progress-bar").max = Math.max(1, all);
    byId("table-progress-bar").value = done;
  }

  /** Teaches the knowledge base the judgements; names are matched anew from then on. */
  async learn() {
    await this.judgements.learnInto(byId("review-learnt"));
    this.answered = undefined;
  }

  // ---- Download ------------------------------------------------------------------------------------------------------

  /** Saves the table with all its columns as they were, formulas as text unless asked otherwise, and the answers and judgements beside
   *  them. */
  download() {
    const { ofRow } = this.distinct;
    const cellsOf = new Map();
    const pieces = this.table.write((row) => {
      const at = ofRow[row];
      if (!cellsOf.has(at)) cellsOf.set(at, addedCells(this.review.outcome(at)));
      return cellsOf.get(at);
    }, byId("review-safe").checked);
    download(
      pieces,
      "text/csv",
      this.file.fileName.replace(/(\.[^.]*)?$/, (extension) => `.linked${extension || ".csv"}`),
    );
    const { lost, name } = this.table.codec;
    const note = lost > 0 ? `${counted(lost, "letter")} of names could not be written in ${name} and became “?”.` : "";
    announce(`The download begins. ${note}`);
    if (note) throw Object.assign(new Error(note), { hint: "Save the table as UTF-8 and open it again to keep them." });
  }
}

function addedCells({ id, matched_name, preferred_name, probability }) {
  const figure = probability === null ? "" : fourDecimals(probability);
  return [id ?? "", matched_name ?? "", preferred_name ?? "", figure];
}
