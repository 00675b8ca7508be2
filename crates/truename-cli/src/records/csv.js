"use strict";
const cell = (text) => `"${text.replaceAll('"', '""')}"`;
const file = {
  name: "judgements.csv",
  type: "text/csv",
  head: "left,right,label,chance\n",
  row: ({ left, right, label, chance }) => `${cell(left)},${cell(right)},${label},${chance}`,
};
