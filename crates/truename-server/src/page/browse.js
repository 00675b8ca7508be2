// The view that searches the knowledge base and shows its concepts.

import { byId, counted, element, said, settled, showError } from "./dom.js";
import { candidateParts } from "./candidates.js";
import { call } from "./server.js";

/** Number of concepts listed. */
const TOP = 20;
/** Number of parents whose names are fetched. */
const MOST_NAMED = 50;

export const conceptLink = (id) => `#browse/${encodeURIComponent(id)}`;

/** Returns `#browse`, with the words searched for and the type. */
const searchLink = (words, type) => {
  const query = new URLSearchParams({ ...(words && { q: words }), ...(type && { type }) });
  return query.size > 0 ? `#browse?${query}` : "#browse";
};

/** The view with the search and, in its place, one concept. */
export class BrowseView {
  constructor() {
    [this.input, this.type, this.status] = [byId("browse-input"), byId("browse-type"), byId("browse-status")];
    const search = () => {
      history.replaceState(null, "", searchLink(this.input.value.trim(), this.type.value));
      this.search();
    };
    this.input.addEventListener("input", settled(search));
    this.type.addEventListener("change", search);
    byId("browse-form").addEventListener("submit", (event) => {
      event.preventDefault();
      search();
    });
  }

  useBase(base) {
    const options = [new Option("all types", ""), ...base.types.map((kind) => new Option(kind, kind))];
    this.type.replaceChildren(...options);
    this.type.hidden = base.types.length < 2;
    this.shown = null;
  }

  /** Shows what the address says: `rest` is the hash behind `#browse`. */
  open(rest) {
    if (rest.startsWith("/")) return this.showConcept(decoded(rest.slice(1)));
    const query = new URLSearchParams(rest.slice(1));
    this.input.value = query.get("q") ?? "";
    if (query.has("type")) this.type.value = query.get("type");
    return this.search();
  }

  begin() {
    this.calling?.abort();
    this.calling = new AbortController();
    showError(byId("browse-error"), null);
    return this.calling.signal;
  }

  async search() {
    const signal = this.begin();
    const words = this.input.value.trim();
    const [results, concept] = [byId("browse-results"), byId("browse-concept")];
    concept.replaceChildren();
    if (words === "") {
      results.replaceChildren();
      this.status.textContent = "";
      return;
    }
    try {
      const query = { q: words, top: TOP, ...(this.type.value && { type: this.type.value }) };
      const { candidates } = await call("v1/search", { query, signal });
      results.replaceChildren(
        ...candidates.map((candidate) =>
          element("li", {}, element("a", { href: conceptLink(candidate.id) }, ...candidateParts(candidate, { figure: false }))),
        ),
      );
      this.status.textContent =
        candidates.length === 0 ? "No concept has such a name." : `${counted(candidates.length, "concept")}, nearest first`;
    } catch (error) {
      this.fail(error, signal);
    }
  }

  async showConcept(id) {
    const signal = this.begin();
    byId("browse-results").replaceChildren();
    this.status.textContent = "";
    const place = byId("browse-concept");
    try {
      const concept = await fetchConcept(id, signal);
      const parents = element("ul", { class: "links" });
      place.replaceChildren(...conceptParts(concept, parents));
      place.querySelector("h3").focus();
      document.title = `${concept.name ?? id} · Truename`;
      await this.listParents(parents, linksOf(concept).ids, signal);
    } catch (error) {
      place.replaceChildren();
      this.fail(error, signal);
    }
  }

  /** Lists the parents by name; a parent that is not in the knowledge base by its id alone. */
  async listParents(list, ids, signal) {
    const links = ids.map((id) => element("a", { href: conceptLink(id) }, said("code", id)));
    list.replaceChildren(...links.map((link) => element("li", {}, link)));
    await Promise.all(
      ids.slice(0, MOST_NAMED).map(async (id, at) => {
        const parent = await fetchConcept(id, signal).catch(() => null);
        if (parent?.name) links[at].prepend(said("span", parent.name), " ");
      }),
    );
  }

  fail(error, signal) {
    if (signal.aborted) return;
    this.status.textContent = "";
    byId("browse-results").replaceChildren();
    showError(byId("browse-error"), error);
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Fetches a concept by its id. */
export const fetchConcept = (id, signal) => call(`v1/concepts/${encodeURIComponent(id)}`, { signal });

/** Returns the ids that a concept leads to, or an id that is no longer in use. */
function linksOf({ parents = [], replaced_by = [], consider = [] }) {
  if (replaced_by.length > 0) return { title: "Replaced by", ids: replaced_by };
  if (consider.length > 0) return { title: "May be meant", ids: consider };
  return { title: "Parents", ids: parents };
}

function conceptParts(concept, parents) {
  const { id, name = "No longer in use", types = [], definition, synonyms = [], aliases = [], xrefs = [] } = concept;
  const parts = [
    said("h3", name, { tabIndex: -1 }),
    element(
      "p",
      { class: "facts-of" },
      said("code", id),
      ...types.flatMap((kind) => [" ", said("span", kind, { class: "chip" })]),
    ),
  ];
  if (definition) parts.push(said("p", definition, { class: "definition" }));
  const names = [
    ...synonyms.map((synonym) => said("li", synonym)),
    ...aliases.map((alias) =>
      element("li", {}, said("bdi", alias.name), element("span", { class: "also" }, " alias from ", said("bdi", alias.source))),
    ),
  ];
  if (names.length > 0) parts.push(heading("Names", names.length), element("ul", { class: "synonyms" }, ...names));
  const { title, ids } = linksOf(concept);
  if (ids.length > 0) parts.push(heading(title, ids.length), parents);
  if (xrefs.length > 0) {
    parts.push(
      heading("Cross-references", xrefs.length),
      element("ul", { class: "synonyms" }, ...xrefs.map((xref) => element("li", {}, said("code", xref)))),
    );
  }
  return parts;
}

const heading = (title, count) => element("h4", {}, `${title} `, element("small", {}, String(count)));
