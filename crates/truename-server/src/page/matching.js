// Matching of the distinct names of a column.

import { call } from "./server.js";

/** Names sent in one call. */
const CHUNK = 200;
/** Longest name in bytes; longer ones are answered NIL without a call. */
const LONGEST_NAME_BYTES = 4096;
/** Share of the names that is drawn evenly, whatever their doubt: `calibrate` is to learn of the sure answers too. */
const RANDOM_SHARE = 0.1;

/** Answer to a name that is not sent. */
const NIL = { id: null, preferred_name: null, matched_name: null, probability: 0, next: 0 };

/** Returns the answer to each name in order. `known` holds answers by name; new answers are added to it, so a cancelled call can be
 *  repeated and resumes. `onProgress` gets the number of names answered so far. */
export async function match(names, types, known, { signal, onProgress, onWait }) {
  const encoder = new TextEncoder();
  const isAsked = (name) => !known.has(name) && name.trim() !== "" && encoder.encode(name).length <= LONGEST_NAME_BYTES;
  const asked = names.filter(isAsked);
  onProgress(names.length - asked.length);
  for (let start = 0; start < asked.length; start += CHUNK) {
    const chunk = asked.slice(start, start + CHUNK);
    const body = { names: chunk, top: 2, types };
    const { links } = await call("v1/match", { body, signal, onWait });
    links.forEach((link, position) => known.set(chunk[position], answerOf(link)));
    onProgress(names.length - asked.length + start + chunk.length);
  }
  return names.map((name) => known.get(name) ?? NIL);
}

/** Returns the parts of an answer that the list and the download need. */
function answerOf({ id, preferred_name, matched_name, probability, candidates }) {
  const [best, next] = candidates;
  return { id, preferred_name, matched_name, probability: best?.probability ?? probability ?? 0, next: next?.probability ?? 0 };
}

/** Returns the links of some names with candidates and explanations. */
export async function explained(names, types, top, signal) {
  return (await call("v1/match", { body: { names, top, types, explain: true }, signal })).links;
}

/** Returns `order`, the positions of the answers in the order of their review, doubtful ones sooner, and `chances`, with which each was
 *  drawn. */
export async function reviewOrder(answers, signal) {
  const doubts = answers.map(({ probability, next, id }) => ({ probability, next, is_nil: id === null }));
  return call("v1/review/order", { body: { answers: doubts, share: RANDOM_SHARE, seed: 1 }, signal });
}

/** Formats a probability as `truename match` writes it: four decimals, ties to the even one. */
export function fourDecimals(probability) {
  const text = probability.toFixed(4);
  const isTie = Math.abs((probability * 32) % 2) === 1;
  return isTie && Number(text.at(-1)) % 2 === 1 ? (probability - 0.00005).toFixed(4) : text;
}
