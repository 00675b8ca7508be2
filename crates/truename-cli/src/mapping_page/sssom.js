"use strict";
const tidy = (text) => text.replace(/[\t\r\n]/g, " ");
const cell = (text) => (text.includes('"') ? `"${tidy(text).replaceAll('"', '""')}"` : tidy(text));
const today = new Date().toISOString().slice(0, 10);
const file = {
  name: "judgements.sssom.tsv",
  type: "text/tab-separated-values",
  head: document.body.dataset.head,
  row: ({ subject, subjectLabel, predicate, label, object, objectLabel }) => [
    subject, cell(subjectLabel), predicate, label === "1" ? "" : "Not", object, cell(objectLabel),
    "semapv:ManualMappingCuration", today,
  ].join("\t"),
};
