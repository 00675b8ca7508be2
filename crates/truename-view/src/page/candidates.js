// Candidates as every list shows them.

import { bar, element, percent, said } from "./dom.js";

/** Returns the parts of a candidate as they stand in every list: names, id, bar and probability. */
export function candidateParts({ id, preferred_name: preferred, matched_name: matched, probability }, { figure = true } = {}) {
  const names = element(
    "span",
    { class: "names-of" },
    said("span", preferred, { class: "preferred" }),
    matched && matched !== preferred ? said("span", matched, { class: "also" }) : null,
  );
  const parts = [names, " ", said("code", id)];
  return figure ? [...parts, " ", bar(probability), element("span", { class: "percent" }, ` ${percent(probability)}`)] : parts;
}

/** Returns how doubtful an answer is, from 0 to 1, as `doubt_of` of the library does: one minus the margin between the two likeliest
 *  of its candidates and "none of them". */
export function doubtOf(probabilities) {
  const none = Math.max(0, 1 - probabilities.reduce((sum, probability) => sum + probability, 0));
  const [first, second = 0] = [...probabilities, none].sort((left, right) => right - left);
  return 1 - (first - second);
}
