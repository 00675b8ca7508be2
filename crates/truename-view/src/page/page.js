// The page of linked documents, judged without a server: judgements are kept by the browser and saved as documents.

import { element } from "./dom.js";
import { ConceptSearch } from "./concept_search.js";
import { MentionReview } from "./mention_review.js";

/** Concepts listed for some words. */
const MOST_FOUND = 20;

const data = [...document.querySelectorAll("article > .data")];
const documents = data.map((script) => JSON.parse(script.textContent));
const articles = data.map((script) => script.parentElement);

/** Concepts of the page by their ids. */
const concepts = new Map();
for (const { mentions } of documents) {
  for (const candidate of mentions.flatMap(({ candidates }) => candidates ?? [])) concepts.set(candidate.id, candidate);
}

/** Returns the concepts of the page whose names have the words, and one with the words for its id. */
async function find(words) {
  const wanted = words.toLowerCase();
  const has = ({ id, preferred_name, matched_name }) =>
    [id, preferred_name, matched_name].some((text) => text?.toLowerCase().includes(wanted));
  const found = [...concepts.values()].filter(has).slice(0, MOST_FOUND);
  const isId = !/\s/.test(words) && !concepts.has(words);
  return isId ? [...found, { id: words, preferred_name: words, matched_name: words, probability: 0 }] : found;
}

const main = document.querySelector("main");
const review = new MentionReview(new ConceptSearch(find));
const desk = element("div", { class: "desk" });
main.before(desk);
desk.append(main, review.panel);
document.body.classList.add("is-judged");
if (documents.length > 0) review.begin(documents, articles);
