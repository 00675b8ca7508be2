// The page: its views, found by the hash of the address, and the knowledge base in use.

import { byId, grouped, showError } from "./dom.js";
import { call, useBase } from "./server.js";
import { BrowseView } from "./browse.js";
import { ConceptSearch } from "./concept_search.js";
import { Judgements } from "./judgements.js";
import { MappingsView } from "./mappings.js";
import { PairsView } from "./pairs.js";
import { TableView } from "./table_view.js";
import { TextView } from "./text.js";

const TITLES = { text: "Text", table: "Table", browse: "Browse", mappings: "Mappings", pairs: "Pairs" };
const search = new ConceptSearch(
  async (words, signal) => (await call("v1/search", { query: { q: words, top: 20 }, signal })).candidates,
);
const judgements = new Judgements();
const views = {
  text: new TextView(judgements, search),
  table: new TableView(judgements, search),
  browse: new BrowseView(),
  mappings: new MappingsView(judgements),
  pairs: new PairsView(),
};
let shown = null;

/** Shows the view of the address. */
function route() {
  const hash = location.hash.slice(1);
  const [, name, rest] = /^(text|table|browse|mappings|pairs)(.*)$/s.exec(hash) ?? [null, "text", ""];
  document.querySelectorAll("dialog[open]:not(#key-dialog)").forEach((dialog) => dialog.close());
  for (const view of Object.keys(views)) byId(`view-${view}`).hidden = view !== name;
  for (const link of document.querySelectorAll("[data-view]")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[name]} · Truename`;
  if (shown !== null && shown !== name) byId(`${name}-heading`).focus({ preventScroll: true });
  shown = name;
  views[name].open?.(rest);
}

/** Uses a knowledge base for all that follows. */
function begin(base) {
  useBase(base.name);
  const facts = [`${grouped(base.concepts)} concepts`, `${grouped(base.names)} names`];
  byId("base-facts").textContent = facts.join(", ");
  byId("service").hidden = !base.reconcile?.length;
  byId("service-address").textContent = base.reconcile?.length
    ? new URL(base.reconcile[0].replace(/^\//, ""), document.baseURI)
    : "";
  Object.values(views).forEach((view) => view.useBase?.(base));
}

/** Offers the knowledge bases of the server; the address says which one is in use. */
function offer(bases) {
  const asked = new URLSearchParams(location.search).get("kb");
  const current = bases.find((base) => base.name === asked) ?? bases[0];
  const choice = byId("base");
  choice.replaceChildren(...bases.map((base) => new Option(base.name, base.name, false, base === current)));
  choice.hidden = bases.length < 2;
  byId("base-label").hidden = bases.length < 2;
  choice.addEventListener("change", () => {
    const hash = location.hash.startsWith("#browse/") ? "#browse" : location.hash;
    history.replaceState(null, "", `?kb=${encodeURIComponent(choice.value)}${hash}`);
    begin(bases.find((base) => base.name === choice.value));
    route();
  });
  begin(current);
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("content").focus();
});
addEventListener("hashchange", route);
const [page] = /(?<=\/)(mappings|pairs)$/.exec(location.pathname) ?? [];
if (page) history.replaceState(null, "", `./${location.search}#${page}`);
try {
  const { version, bases, mappings, pairs } = await call("v1/bases");
  views.mappings.offer(mappings);
  views.pairs.offer(pairs);
  byId("version").textContent = `Truename ${version}`;
  offer(bases);
  judgements.resume();
} catch (error) {
  showError(byId("unreachable"), error);
}
route();
