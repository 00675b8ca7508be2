// Writes the documents that the tests of saved files read (crates/truename-cli/tests/judged), by the functions of the page:
//
//   node scripts/page/saved.mjs [FOLDER]

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const page = join(root, "crates/truename-view/src/page");
export const FOLDER = join(root, "crates/truename-cli/tests/judged");

/** Documents with what makes files hard: two UTF-16 units for a letter, a title, line ends within a mention, fragments, several ids. */
const DOCUMENTS = [
  {
    id: "n 1",
    text: "😀 Heart attack\nNo aspirin, a heart\r\nfailure. The cold guests 🧠 left.",
    passages: [
      { type: "title", start: 0, end: 15 },
      { type: "abstract", start: 16, end: 70 },
    ],
    mentions: [
      { start: 3, end: 15, types: ["disease"], id: "X:1" },
      { start: 19, end: 26, types: ["drug"], id: "X:3", assertions: ["negated"] },
      { start: 30, end: 44, types: ["disease"], id: "X:2" },
      { start: 50, end: 54, types: [], id: null },
    ],
  },
  {
    id: "../2|b",
    text: "Acetylsalicylic or salicylic acid",
    mentions: [
      {
        start: 0,
        end: 33,
        fragments: [
          [0, 15],
          [29, 33],
        ],
        types: ["drug of pain"],
        id: "X:3|D1",
      },
    ],
  },
];

/** Returns the contents of the files by their names. */
export async function files() {
  // The page's scripts are modules, and their folder has no package file that says so.
  const source = readFileSync(join(page, "saved.js"), "utf8");
  const { jsonl, pubtator, brat } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const folder = brat(DOCUMENTS).map(([name, content]) => [join("brat", name), content]);
  return new Map([["judged.jsonl", jsonl(DOCUMENTS)], ["judged.pubtator", pubtator(DOCUMENTS)], ...folder]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const out = process.argv[2] ?? FOLDER;
  mkdirSync(join(out, "brat"), { recursive: true });
  for (const [name, content] of await files()) writeFileSync(join(out, name), content);
}
