// The view that links a text and lets its mentions be judged.

import { fetchConcept } from "./browse.js";
import { byId, counted, element, grouped, showError } from "./dom.js";
import { MentionReview } from "./mention_review.js";
import { call } from "./server.js";
import { TypeChoice } from "./types.js";

const EXAMPLE = `A week on the ward

The man in bed three has had type 2 diabetes mellitus (T2DM) for ten years and takes metformin. He came in with chest pain, and an \
ECG showed a heart attack. We gave aspirin and heparin at once. His mother had T2DM too, and died of a stroke.

The girl by the window has whooping cough. Amoxicillin gave her a rash, so she is on azithromycin now. Her asthma is no worse, and \
her brother's hay fever needs no more than loratadine.`;

/** Longest text, in characters; longer ones are for the command line. */
const LONGEST_TEXT = 500_000;

/** The view with the text and its mentions. */
export class TextView {
  constructor(judgements, search) {
    this.fragment = null;
    this.judgements = judgements;
    this.review = new MentionReview(search, {
      user: () => judgements.user(),
      add: (judgement) => judgements.add(judgement),
      typesOf: async (id) => (await fetchConcept(id)).types ?? [],
    });
    judgements.offerRename(this.review);
    judgements.listeners.push(() => judgements.showSaved(this.review.savedLine));
    this.learnButton = element("button", { type: "button", id: "mentions-learn", hidden: true }, "Learn judgements");
    this.learnButton.title = "The knowledge base answers the names that were judged so from now on";
    this.learnButton.addEventListener("click", () => this.learn());
    this.review.tools.append(" ", this.learnButton);
    byId("text-desk").append(this.review.panel);
    this.types = new TypeChoice(byId("text-types"), () => {
      if (this.fragment !== null) this.link();
    });
    this.input = byId("text-input");
    this.input.value = EXAMPLE;
    byId("text-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.link();
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.link();
      }
    });
    byId("text-clear").addEventListener("click", () => this.begin(""));
    byId("text-example").addEventListener("click", () => {
      this.begin(EXAMPLE);
      this.link();
    });
    byId("text-nested").addEventListener("change", () => {
      if (this.fragment !== null) this.link();
    });
    byId("text-result").addEventListener("keydown", (event) => {
      if (event.key === "Escape") document.activeElement?.closest?.(".mention")?.blur();
    });
  }

  /** Shows the types of another knowledge base; what was linked with the one before goes. */
  useBase(base) {
    this.types.offer(base.types);
    this.learnButton.hidden = !base.learns;
    this.forget();
  }

  async learn() {
    try {
      showError(byId("text-error"), null);
      await this.judgements.learnInto(this.review.fileLine);
    } catch (error) {
      showError(byId("text-error"), error);
    }
  }

  begin(text) {
    this.input.value = text;
    this.forget();
    this.input.focus();
  }

  forget() {
    this.calling?.abort();
    this.fragment = null;
    this.review.forget();
    byId("view-text").classList.remove("wide");
    byId("text-result").replaceChildren();
    byId("text-status").textContent = "";
    showError(byId("text-error"), null);
  }

  async link() {
    const text = this.input.value;
    this.forget();
    if (text.trim() === "") {
      byId("text-status").textContent = "Paste or type a text first.";
      this.input.focus();
      return;
    }
    if (this.types.isEmpty()) {
      byId("text-status").textContent = "Choose at least one type.";
      return;
    }
    if (text.length > LONGEST_TEXT) {
      showError(byId("text-error"), {
        message: "The text is too long for this page.",
        hint: "`truename link` takes files of any size.",
      });
      return;
    }
    const calling = new AbortController();
    this.calling = calling;
    const status = byId("text-status");
    status.textContent = "Linking …";
    try {
      const documents = [{ id: "Your text", text }];
      const body = {
        documents,
        types: this.types.chosen(),
        top: 5,
        explain: true,
        nested: byId("text-nested").checked,
      };
      const onWait = (seconds) => {
        status.textContent = `The server is busy; trying again in ${counted(seconds, "second")}.`;
      };
      this.fragment = await call("v1/link", { body, accept: "text/html", signal: calling.signal, onWait });
      this.show();
    } catch (error) {
      if (calling.signal.aborted) return;
      status.textContent = "";
      showError(byId("text-error"), error);
    }
  }

  /** Shows the linked text, with the mentions of the chosen types. */
  show() {
    if (this.fragment === null) return;
    // The server escapes all that comes from the text and the knowledge base.
    const parsed = new DOMParser().parseFromString(this.fragment, "text/html").body;
    const marks = [...parsed.querySelectorAll(".mention")];
    marks.filter((mark) => !this.types.allows(typesOf(mark))).forEach(unwrap);
    const first = [...parsed.querySelectorAll(".mention[id]")];
    const nil = first.filter((mark) => mark.classList.contains("nil")).length;
    const counts = [
      counted(first.length, "mention"),
      `${grouped(first.length - nil)} linked`,
      ...(nil > 0 ? [`${grouped(nil)} NIL`] : []),
    ];
    byId("text-status").replaceChildren(
      element("span", {}, counts.join(" · ")),
      " ",
      element("span", { class: "hint keyboard" }, "Tab moves from mention to mention"),
    );
    const documents = [...parsed.querySelectorAll(".data")].map((script) => JSON.parse(script.textContent));
    byId("text-result").replaceChildren(...parsed.childNodes);
    byId("view-text").classList.add("wide");
    this.review.begin(documents, [...byId("text-result").querySelectorAll("article")], (types) => this.types.allows(types));
  }
}

const typesOf = (mark) => [...mark.querySelectorAll(":scope > .card .type")].map((kind) => kind.textContent);

/** Turns a mention back to plain text. */
function unwrap(mark) {
  mark.querySelectorAll(":scope > .card, :scope > .label").forEach((part) => part.remove());
  mark.replaceWith(...mark.childNodes);
}
