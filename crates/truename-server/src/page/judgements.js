// Judgements on their way to the server: posted at once, kept by the browser until the server has them.

import { announce, ask, byId, counted, grouped, kept } from "./dom.js";
import { baseInUse, call, hasKey, pause } from "./server.js";

/** Longest wait before saving is tried again, in seconds. */
const LONGEST_WAIT_S = 30;
/** Judgements sent in one call. */
const MOST_AT_ONCE = 500;
/** Key under which the browser keeps the judgements of all knowledge bases. */
const KEPT = "unsaved";

/** The queue of judgements that the server has not confirmed. Each of `listeners` is called when it gets longer or shorter. */
export class Judgements {
  constructor() {
    this.listeners = [];
    this.waiting = [];
    this.saved = 0;
    /** Judgements that the server does not take, with its errors. */
    this.refused = [];
    this.error = null;
    this.isSending = false;
  }

  /** Returns the user's name; asks for it the first time, or again if `anew`. Null if it was not given, empty if the API key tells it. */
  async user(anew = false) {
    const known = kept.get("user") ?? this.name;
    if (known && !anew) return known;
    if (hasKey() && !anew) return "";
    byId("user").value = known ?? "";
    const answer = await ask(byId("user-dialog"));
    const given = byId("user").value.trim();
    if (answer === null || given === "") return null;
    this.name = given;
    kept.set("user", given);
    return given;
  }

  /** Lets the help of a review change the user's name. */
  offerRename(review) {
    review.rename.hidden = false;
    review.rename.addEventListener("click", async () => {
      review.helpDialog.close();
      await this.user(true);
    });
  }

  /** Shows in an element whether the server has all judgements. */
  showSaved(place) {
    const { waiting, refused, error, saved } = this;
    const said = [];
    if (waiting.length > 0)
      said.push(`${counted(waiting.length, "judgement")} not yet saved${error ? `: ${error.message}` : " …"}`);
    else if (saved > 0) said.push("All judgements are saved.");
    if (refused.length > 0)
      said.push(`The server did not take ${counted(refused.length, "judgement")}: ${refused.at(-1).error.message}`);
    place.textContent = said.join(" ");
    place.classList.toggle("is-unsaved", waiting.length + refused.length > 0);
  }

  /** Teaches the knowledge base the judgements and says in an element what it learnt. Fails while some are not saved. */
  async learnInto(place) {
    if (this.waiting.length > 0) {
      const message = `${counted(this.waiting.length, "judgement")} not yet saved.`;
      throw Object.assign(new Error(message), { hint: "Try again once they are." });
    }
    const { learnt, unchanged, forgotten } = await this.learn();
    const said = [`${counted(learnt, "judgement")} learnt`, `${grouped(unchanged)} known before`];
    if (forgotten > 0) said.push(`${grouped(forgotten)} forgotten`);
    place.hidden = false;
    place.textContent = `${said.join(", ")}.`;
    announce(place.textContent);
  }

  /** Sends the judgements that an earlier visit could not save. */
  resume() {
    let left;
    try {
      left = JSON.parse(kept.get(KEPT) ?? "[]");
    } catch {
      left = [];
    }
    this.waiting.push(...left);
    this.flush();
  }

  /** Adds a judgement, `{name, id, user, chance}`; id null stands for NIL, for a name that is never a mention (`stop_name`), or for no judgement if it
   *  is `withdrawn`. */
  add({ name, id, user, stop_name = false, withdrawn = false, chance = 1 }) {
    this.waiting.push({ name, id, user, stop_name, withdrawn, chance, base: baseInUse() });
    this.keep();
    this.flush();
  }

  /** Returns the judgements of all users, as the server has them. */
  async all() {
    return (await call("v1/judgements")).judgements;
  }

  /** Teaches the knowledge base all judgements that the server has. Returns the numbers of those learnt, known before and forgotten. */
  async learn() {
    return call("v1/judgements/learn", { body: {} });
  }

  keep() {
    kept.set(KEPT, this.waiting.length === 0 ? null : JSON.stringify(this.waiting));
    this.listeners.forEach((listener) => listener());
  }

  /** Sends the waiting judgements, oldest first, until none is left. */
  async flush() {
    if (this.isSending) return;
    this.isSending = true;
    for (let [attempt, most] = [0, MOST_AT_ONCE]; this.waiting.length > 0;) {
      const batch = this.batch(most);
      try {
        await this.send(batch);
        this.waiting.splice(0, batch.length);
        this.saved += batch.length;
        [this.error, attempt, most] = [null, 0, MOST_AT_ONCE];
      } catch (error) {
        if (isRefusal(error)) {
          // One of several is at fault: each is sent alone.
          if (batch.length === 1) this.refused.push({ judgement: this.waiting.shift(), error });
          most = 1;
        } else {
          this.error = error;
          this.keep();
          await pause(Math.min(LONGEST_WAIT_S, 2 ** attempt) * 1000);
          attempt += 1;
        }
      }
      this.keep();
    }
    this.isSending = false;
  }

  /** Returns the oldest judgements of one user and knowledge base. */
  batch(most) {
    const { user, base } = this.waiting[0];
    const other = this.waiting.findIndex((judgement) => judgement.user !== user || judgement.base !== base);
    return this.waiting.slice(0, Math.min(other < 0 ? this.waiting.length : other, most));
  }

  send(batch) {
    const { user, base } = batch[0];
    const judgements = batch.map(({ name, id, stop_name = false, withdrawn = false, chance = 1 }) => ({ name, id, stop_name, withdrawn, chance }));
    return call("v1/judgements", { body: { judgements, user }, query: base === null ? {} : { kb: base }, retries: 0 });
  }
}

/** Returns whether trying again is of no use. */
const isRefusal = ({ status }) => status >= 400 && status < 500 && ![401, 408, 429].includes(status);
