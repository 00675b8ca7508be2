// Drives the page of a running `truename serve` in Chromium: links a text and judges its mentions, reviews a column by keyboard alone,
// compares the download with the file byte for byte, browses, and has axe-core look at every view in light and dark, wide and at 320
// pixels. The page that `truename link` writes is judged too, from its file.
//
//   PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --prefix DIR playwright-core axe-core      (and Debian's package chromium)
//   truename serve --port 8750 --judgements FOLDER_TO_THROW_AWAY [--pairs TABLE] &
//   NODE_PATH=DIR/node_modules node scripts/page/check.mjs --url http://127.0.0.1:8750 [--truename PATH] [--out SHOTS]
//
// `--truename` compares downloads with what the program's `match` writes, and judges its page; serve the bundled knowledge base first. `--out` keeps
// screenshots, `--rows` sets the size of the large table (50,000). The exit code is 1 if a check fails.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { FOLDER as SAVED_FOLDER, files as savedFiles } from "./saved.mjs";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8750" },
    truename: { type: "string" },
    out: { type: "string" },
    rows: { type: "string", default: "50000" },
    browser: { type: "string", default: "/usr/bin/chromium" },
  },
});
const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const origin = options.url.replace(/\/$/, "");
if (options.out) mkdirSync(options.out, { recursive: true });

let failed = 0;
let passed = 0;

function check(what, holds, found = "") {
  if (holds) passed += 1;
  else failed += 1;
  if (!holds) console.log(`FAILED  ${what} ${typeof found === "string" ? found : JSON.stringify(found)}`);
}

async function section(title, run) {
  const began = Date.now();
  const before = [passed, failed];
  try {
    await run();
  } catch (error) {
    check(title, false, error.stack);
  }
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${failed > before[1] ? "FAILED" : "ok    "}  ${title}: ${passed - before[0]} checks (${seconds} s)`);
}

const browser = await chromium.launch({ executablePath: options.browser });

/** Opens a page that reports errors, breaches of the content security policy, and requests to other servers. */
async function open(path, options = {}) {
  const page = await openUrl(`${origin}/${path}`, options);
  await page.waitForSelector("[data-view][aria-current]");
  return page;
}

/** Opens an address; a page in a file asks nothing of a server. */
async function openUrl(
  url,
  { width = 1280, height = 900, colorScheme = "light", missingIsFine = false, bypassCSP = false } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    acceptDownloads: true,
    bypassCSP,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => check("the page runs without an error", false, error.stack));
  page.on("console", (message) => {
    const isExpected = missingIsFine && /Failed to load resource/.test(message.text());
    if (message.type() === "error" && !isExpected) check("the console has no error", false, message.text());
  });
  page.on("request", (request) => {
    const { protocol } = new URL(request.url());
    const isOwn = request.url() === url || (!url.startsWith("file:") && request.url().startsWith(`${origin}/`));
    if (!isOwn && !["data:", "blob:"].includes(protocol)) check("no request leaves the server", false, request.url());
  });
  // The event is sent only while someone listens, which a key pressed at once would come before.
  page.on("filechooser", () => {});
  await page.goto(url);
  return page;
}

async function shot(page, name) {
  // Without its own style for the caret, which the policy forbids.
  if (options.out) await page.screenshot({ path: join(options.out, `${name}.png`), caret: "initial" });
}

/** Has axe-core look at the page. */
async function accessible(page, what) {
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  check(`axe ran on ${what}`, passes.length > 5);
  for (const { id, help, nodes } of violations) {
    check(
      `${what} is accessible`,
      false,
      `${id}: ${help}\n        ${nodes
        .slice(0, 4)
        .map((node) => `${node.target.join(" ")}  ${node.any.map((any) => any.message).join("; ")}`)
        .join("\n        ")}`,
    );
  }
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(`${what} is not wider than the window`, overflow <= 0, `by ${overflow} px`);
}

const text = (page, selector) => page.locator(selector).innerText();
const focused = (page) => page.evaluate(() => document.activeElement?.id ?? "");

/** Presses Tab (or Shift+Tab) until an element has the focus. */
async function tabTo(page, selector, { key = "Tab", most = 80 } = {}) {
  for (let times = 0; times < most; times += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return true;
    await page.keyboard.press(key);
  }
  check(`the keyboard reaches ${selector}`, false);
  return false;
}

const judgementsOf = async (page, user) => {
  const { judgements } = await (await page.request.get(`${origin}/v1/judgements`)).json();
  return judgements.filter((judgement) => judgement.user === user);
};

// ---- Text ------------------------------------------------------------------------------------------------------------

await section("a text is linked by keyboard", async () => {
  const page = await open("");
  await tabTo(page, "#text-input");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#text-result .mention");
  const mentions = await page.locator("#text-result .mention[id]").count();
  check("mentions are found", mentions >= 10, mentions);
  check(
    "their number is told",
    (await text(page, "#text-status")).startsWith(`${mentions} mentions`),
    await text(page, "#text-status"),
  );
  check("the legend has types", (await page.locator("#text-result .legend li").count()) >= 1);
  await tabTo(page, "#text-result .mention");
  check("the card of the mention in focus is shown", await page.locator("#text-result .mention:focus > .card").isVisible());
  await shot(page, "text-card");
  await page.keyboard.press("Escape");
  check("Escape closes the card", (await page.locator("#text-result .card:visible").count()) === 0);
  const boxes = page.locator("#text-types input");
  if ((await boxes.count()) > 1) {
    await boxes.first().focus();
    await page.keyboard.press("Space");
    await page.waitForFunction(
      (before) =>
        document.querySelectorAll("#text-result .mention[id]").length < before && document.querySelector("#text-result article"),
      mentions,
    );
    check("a type is left out", true);
  }
  await page.fill("#text-input", '<b>asthma</b> & "cough" <script>alert(1)</script> 🧠 asthma');
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.querySelector("#text-result .text")?.textContent.includes("<b>"));
  check(
    "nothing of a text becomes markup",
    (await page
      .locator("#text-result :is(b, script)")
      .filter({ hasText: /asthma|alert/ })
      .count()) === 0,
  );
  await page.context().close();
});

// ---- Judging of mentions ---------------------------------------------------------------------------------------------

/** Judges mentions of a linked text by keyboard and by selection. Returns the judgements by the text of the mentions. */
async function judgeMentions(page, user) {
  const item = () => text(page, "#mention-name");
  const told = (count) =>
    page.waitForFunction((wanted) => document.querySelector("#mentions-summary").textContent.endsWith(`${wanted} judged`), count);
  const judged = new Map();
  const judge = async (key, verdict, count) => {
    judged.set(await item(), await verdict());
    await page.keyboard.press(key);
    if (user && count === 1) {
      await page.waitForSelector("#user-dialog[open]");
      await page.keyboard.type(user);
      await page.keyboard.press("Enter");
    }
    await told(count);
  };
  await page.waitForSelector("#mentions-rows tr");
  await page.locator("#mention").focus();
  const answer = () => text(page, "#mention-answer code");
  await judge("Enter", answer, 1);
  await judge("2", () => text(page, '#mention-choices [data-position="1"] code'), 2);
  await judge("n", () => null, 3);
  await judge("x", () => "never", 4);
  await judge("d", () => "none", 5);
  await page.keyboard.press("u");
  await told(4);
  check("undo returns to the mention", judged.has(await item()));
  await page.keyboard.press("d");
  await told(5);

  // Wrong bounds, by the arrow keys.
  const before = await item();
  await page.keyboard.press("b");
  await page.waitForSelector(".bounds:not([hidden])");
  await page.keyboard.press("ArrowRight");
  const longer = await text(page, ".bounds-text mark");
  check("→ adds a word", longer.startsWith(before) && longer.length > before.length, longer);
  await page.keyboard.press("ArrowLeft");
  check("← takes it away", (await text(page, ".bounds-text mark")) === before);
  await page.keyboard.press("ArrowRight");
  await shot(page, user ? "text-bounds" : "page-bounds");
  await page.keyboard.press("Enter");
  check("the bounds are set", (await item()) === longer, await item());
  await page.keyboard.press("u");
  check("the bounds are undone", (await item()) === before, await item());
  await page.keyboard.press("b");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await judge("Enter", answer, 6);

  // A mention that was missed: its text is selected, its concept searched.
  const missed = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector("article .text:last-of-type"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const found = /\b(had|has|gave)\b/.exec(walker.currentNode.data);
      if (!found || walker.currentNode.parentElement.closest(".mention")) continue;
      getSelection().setBaseAndExtent(walker.currentNode, found.index, walker.currentNode, found.index + found[0].length + 1);
      return found[0];
    }
    return null;
  });
  await page.keyboard.press("m");
  await page.waitForSelector(".bounds:not([hidden])");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#search-dialog[open]");
  await page.fill("#search-input", "asthma");
  await page.waitForFunction(
    () => document.querySelector("#search-results [aria-selected=true] .preferred")?.textContent === "Asthma",
  );
  judged.set(missed, await text(page, "#search-results [aria-selected=true] code"));
  await page.keyboard.press("Enter");
  await told(7);

  // The list: a filter, words.
  await page.locator('[name="mentions-filter"][value="nil"]').focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("#mentions-rows tr")].every((row) => row.querySelector(".nil-mark") !== null),
  );
  await page.locator('[name="mentions-filter"][value="all"]').focus();
  await page.keyboard.press("Space");
  await page.fill("#mentions-words", missed);
  await page.waitForFunction(
    (word) => [...document.querySelectorAll("#mentions-rows th")].every((name) => name.textContent.includes(word)),
    missed,
  );
  await page.fill("#mentions-words", "");
  await page.waitForFunction(() => document.querySelectorAll("#mentions-rows tr").length > 7);
  await page.locator("#mention").focus();
  check("documents are saved once they are judged whole", await page.isDisabled("#mentions-save"));
  await page.keyboard.press("a");
  await page.waitForFunction(() => !document.querySelector("#mentions-save").disabled);
  for (const format of ["jsonl", "pubtator", "brat"]) {
    await page.selectOption("#mentions-format", format);
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#mentions-save")]);
    const bytes = readFileSync(await file.path());
    if (format === "brat") check("brat is an archive", bytes.subarray(0, 2).toString() === "PK");
    else checkSaved(format, bytes.toString("utf8"), judged);
  }
  return judged;
}

function checkSaved(format, content, judged) {
  const mentions = new Map();
  if (format === "jsonl") {
    for (const line of content.trimEnd().split("\n").map(JSON.parse)) {
      const letters = [...line.text];
      for (const { start, end, text: said, id } of line.mentions) {
        check("an offset counts letters", letters.slice(start, end).join("") === said, said);
        mentions.set(said, id);
      }
    }
  } else {
    const rows = content.split("\n").map((row) => row.split("\t"));
    for (const [, , , said, , id] of rows.filter(({ length }) => length === 6)) mentions.set(said, id === "-" ? null : id);
  }
  for (const [said, verdict] of judged) {
    const isLeftOut = ["never", "none"].includes(verdict);
    // What is left out once may be a mention elsewhere.
    if (!isLeftOut)
      check(`${format} has the judgement of ${said}`, mentions.get(said) === verdict, mentions.get(said) ?? "nothing");
  }
}

const JUDGED_TEXT = `A 🧠 week & <b>more</b>

He had a heart attack, hay fever and asthma. His stroke came after whooping cough. She has diabetes mellitus, pneumonia and gout today.
`;

await section("files of judged documents are those of the tests", async () => {
  for (const [name, content] of await savedFiles())
    check(`${name} is the same`, readFileSync(join(SAVED_FOLDER, name), "utf8") === content, "run scripts/page/saved.mjs");
});

await section("mentions of a text are judged on the server", async () => {
  const user = `check mentions ${Date.now()}`;
  const page = await open("");
  await page.fill("#text-input", JUDGED_TEXT);
  await page.click("#text-link");
  const judged = await judgeMentions(page, user);
  await page.waitForFunction(() => document.querySelector("#mentions-saved").textContent === "All judgements are saved.");
  const saved = new Map((await judgementsOf(page, user)).map((judgement) => [judgement.name, judgement]));
  for (const [name, verdict] of judged) {
    const found = saved.get(name);
    if (verdict === "none") check(`the server has no judgement of ${name}`, found === undefined);
    else if (verdict === "never")
      check(`${name} is never a mention`, found?.stop_name === true && found.id === null, found ?? "none");
    else check(`the server has the judgement of ${name}`, found?.id === verdict, found ?? "none");
  }
  const { bases } = await (await page.request.get(`${origin}/v1/bases`)).json();
  check("the button to learn is there where the server learns", (await page.isVisible("#mentions-learn")) === bases[0].learns);
  if (bases[0].learns) {
    await page.click("#mentions-learn");
    await page.waitForFunction(() => /learnt, \d+ known before/.test(document.querySelector("#mentions-file").textContent));
    const data = { documents: [{ text: JUDGED_TEXT }] };
    const { documents } = await (await page.request.post(`${origin}/v1/link`, { data })).json();
    const never = [...judged].find(([, verdict]) => verdict === "never")[0];
    check(`${never} is no mention any more`, !documents[0].mentions.some((mention) => mention.text === never));
  }
  // Later sections have the same names.
  const judgements = [...judged.keys()].map((name) => ({ name, id: null, withdrawn: true }));
  await page.request.post(`${origin}/v1/judgements`, { data: { judgements, user } });
  if (bases[0].learns) await page.request.post(`${origin}/v1/judgements/learn`, { data: {} });
  await page.context().close();
});

if (options.truename) {
  await section("mentions are judged on a page in a file", async () => {
    const path = (name) => join(tmpdir(), `truename-check-${name}`);
    writeFileSync(path("one.txt"), JUDGED_TEXT);
    const many = Array.from({ length: 400 }, (_, at) => JSON.stringify({ id: `d ${at}`, text: JUDGED_TEXT.repeat(2) }));
    writeFileSync(path("many.jsonl"), many.join("\n"));
    for (const name of ["one.txt", "many.jsonl"]) {
      const run = spawnSync(options.truename, [
        "link",
        path(name),
        "--format",
        "html",
        "--explain",
        "--out",
        path(`${name}.html`),
      ]);
      check(`the page of ${name} is written`, run.status === 0, String(run.stderr));
    }
    const page = await openUrl(pathToFileURL(path("one.txt.html")).href);
    await judgeMentions(page, null);
    await shot(page, "page-judged");
    await page.reload();
    await page.waitForSelector("#mentions-rows .is-judged");
    check("the browser keeps judgements", !(await page.isDisabled("#mentions-save")));
    await page.context().close();

    const began = Date.now();
    const large = await openUrl(pathToFileURL(path("many.jsonl.html")).href);
    await large.waitForSelector("#mentions-rows tr", { timeout: 60_000 });
    const count = await large.locator(".mention[id]").count();
    check("the page has thousands of mentions", count > 5000, count);
    check("it opens within 10 s", Date.now() - began < 10_000, `${Date.now() - began} ms`);
    check("its list is paged", (await large.locator("#mentions-rows tr").count()) === 50);
    const slowest = await large.evaluate(async () => {
      let longest = 0;
      for (let times = 0; times < 10; times += 1) {
        const start = performance.now();
        document
          .querySelector("#mention")
          .dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true, cancelable: true }));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        longest = Math.max(longest, performance.now() - start);
      }
      return longest;
    });
    check("a judgement of many is shown within 250 ms", slowest < 250, `${slowest.toFixed(0)} ms`);
    await large.context().close();
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 320],
    ]) {
      const looked = await openUrl(pathToFileURL(path("one.txt.html")).href, { colorScheme, width, bypassCSP: true });
      await looked.waitForSelector("#mentions-rows tr");
      await accessible(looked, `the page in a file (${colorScheme}, ${width} px)`);
      await shot(looked, `page-${colorScheme}-${width}`);
      await looked.context().close();
    }
  });
}

// ---- Table -----------------------------------------------------------------------------------------------------------

const NAMES = [
  "heart atack",
  "Diabetes, type II",
  "NIDDM",
  "tumours of the lung",
  "Parkinsons disease",
  "alzheimer dementia",
  "acetaminophen",
  "Paracetamol 500mg",
  "Vit. B-12",
  "β-carotene",
  "aspirine",
  "oedema of the brain",
  "kawasaki syndrom",
  "arthritis, rheumatoid",
  "the patient's cat",
  "water tablets",
  "high sugar",
  "cold sore",
];

/** Names that the server has judgements of. */
const { judgements: earlier } = await (await fetch(`${origin}/v1/judgements`)).json();
const judgedBefore = new Set(earlier.map((judgement) => judgement.name));

/** Changes the capitals of a name by chance: it means the same, no other table of this script has it,
 *  and it was not judged yet. Null if there is none left. */
function unseen(name) {
  for (let times = 0; times < 500; times += 1) {
    const changed = [...name].map((letter) => (Math.random() < 0.5 ? letter.toUpperCase() : letter.toLowerCase())).join("");
    const isMixed = /[a-z]/.test(changed) && /[A-Z]/.test(changed);
    if (isMixed && !judgedBefore.has(changed)) return changed;
  }
  return null;
}

/** Rows of a table with what makes tables hard: quotes, line ends within cells, rows too short or too long, an empty line. */
function hardTable() {
  const cell = (value) => `"${value.replaceAll('"', '""')}"`;
  const names = NAMES.map(unseen).filter((name) => name !== null);
  const rows = names.map(
    (name, at) => `${at};${/[;"]/.test(name) || at % 3 === 0 ? cell(name) : name};"seen ""there"";\r\nand here";  x `,
  );
  rows.splice(4, 0, `99;${names[0]};again;`);
  rows.splice(6, 0, "");
  rows.splice(8, 0, `98;${names[1]}`);
  rows.push(`97;${names[2]};a "quote" within;z;one more`);
  return { names, header: 'ID;name;note;"last"', rows, lineEnd: "\r\n", mark: "\uFEFF" };
}

const bytesOf = ({ header, rows, lineEnd, mark }) => Buffer.from(mark + [header, ...rows].join(lineEnd));

async function openTable(page, path) {
  await tabTo(page, "#table-file");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")]);
  await chooser.setFiles(path);
  await page.waitForSelector("#table-settings:not([hidden])");
}

async function download(page) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

await section("a column is reviewed by keyboard alone", async () => {
  const table = hardTable();
  const path = join(tmpdir(), "truename-check.csv");
  writeFileSync(path, bytesOf(table));
  const user = `check ${Date.now()}`;
  const page = await open("#table");
  await openTable(page, path);
  check(
    "the column is guessed",
    (await text(page, "#table-preview th.chosen")) === "name",
    await text(page, "#table-preview th.chosen"),
  );
  check("the delimiter is guessed", (await page.inputValue("#table-dialect")) === ";");
  check("the header is found", await page.isChecked("#table-header"));
  check(
    "distinct names are counted",
    (await text(page, "#table-match")) === `Match ${table.names.length} distinct names`,
    await text(page, "#table-match"),
  );
  await page.keyboard.press("Enter");
  await page.waitForSelector("#item-choices button");
  check("the review has the focus", (await focused(page)) === "item", await focused(page));
  await shot(page, "table-review");

  const item = () => text(page, "#item-name");
  const seen = new Map();
  const told = (count) =>
    page.waitForFunction((wanted) => document.querySelector("#review-summary").textContent.includes(`${wanted} judged`), count);
  const next = async (before) =>
    page.waitForFunction((name) => document.querySelector("#item-name").textContent !== name, before);

  // Enter accepts; the user's name is asked for once.
  let name = await item();
  seen.set(name, (await page.locator("#item-answer code").count()) > 0 ? await text(page, "#item-answer code") : null);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#user-dialog[open]");
  await shot(page, "table-user");
  await page.keyboard.type(user);
  await page.keyboard.press("Enter");
  await told(1);
  await next(name);

  // A number key chooses a candidate.
  name = await item();
  await page.waitForSelector('#item-choices [data-position="1"]');
  seen.set(name, await text(page, '#item-choices [data-position="1"] code'));
  await page.keyboard.press("2");
  await told(2);

  // n is NIL; skip and back move without a judgement.
  name = await item();
  await page.keyboard.press("ArrowDown");
  await next(name);
  await page.keyboard.press("k");
  check("back returns to the name before", (await item()) === name);
  seen.set(name, null);
  await page.keyboard.press("n");
  await told(3);
  await next(name);

  // A search chooses any concept.
  name = await item();
  await page.keyboard.press("/");
  await page.waitForSelector("#search-dialog[open]");
  await page.keyboard.type("asthma");
  await page.waitForFunction(() => document.querySelector("#search-results [role=option] .preferred")?.textContent === "Asthma");
  await shot(page, "table-search");
  seen.set(name, await text(page, "#search-results [aria-selected=true] code"));
  await page.keyboard.press("Enter");
  await told(4);
  await next(name);

  // u takes the last judgement back; the name is judged anew.
  await page.keyboard.press("u");
  await told(3);
  check("undo returns to the name", (await item()) === name);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  seen.set(name, null);
  await told(4);

  // x: the name is never a mention. It counts as NIL here.
  await page.keyboard.press("u");
  await told(3);
  await page.keyboard.press("x");
  await told(4);

  // ? shows the keys.
  await page.keyboard.press("?");
  await page.waitForSelector("#item-help[open]");
  await page.keyboard.press("Escape");
  // The item takes the focus back.
  await page.waitForFunction(() => document.activeElement.id === "item");

  // The filter leaves out what is judged.
  await page.locator('[name="names-filter"][value="undecided"]').focus();
  await page.keyboard.press("Space");
  await page.waitForFunction((count) => document.querySelectorAll("#names-rows tr").length === count, table.names.length - 4);
  check("judged names are left out", (await page.locator("#names-rows .is-judged").count()) === 0);

  await page.waitForFunction(() => document.querySelector("#review-saved").textContent.startsWith("All judgements are saved"));
  const saved = new Map((await judgementsOf(page, user)).map(({ name: of, id }) => [of, id]));
  for (const [of, id] of seen)
    check(`the server has the judgement of ${of}`, saved.get(of) === id, `${saved.get(of)} in place of ${id}`);
  check("the server has no other judgement", saved.size === seen.size, [...saved]);
  const never = (await judgementsOf(page, user)).filter((judgement) => judgement.stop_name);
  check("the server has the name that is never a mention", never.length === 1 && never[0].name === name, never);

  // The download has every row as it was, with four cells more.
  await tabTo(page, "#review-download", { key: "Shift+Tab" });
  const { name: fileName, bytes } = await download(page);
  check("the file is named after the table", fileName === "truename-check.linked.csv", fileName);
  compare(table, bytes, seen);
  const kb = await download(page);
  check("a second download is the same", kb.bytes.equals(bytes));
  await shot(page, "table-judged");

  // Judgements are learnt where the server learns (`--learn`, and a knowledge base in a folder).
  const { bases } = await (await page.request.get(`${origin}/v1/bases`)).json();
  const learn = page.locator("#review-learn");
  check("the button to learn is there where the server learns", (await learn.isVisible()) === bases[0].learns);
  if (bases[0].learns) {
    await tabTo(page, "#review-learn");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() =>
      /judgements? learnt, \d+ known before/.test(document.querySelector("#review-learnt").textContent),
    );
    // A stop name is no mention of a text; a table may have it.
    const data = { names: [...seen.keys()].filter((of) => of !== name), explain: true };
    const { links } = await (await page.request.post(`${origin}/v1/match`, { data })).json();
    for (const { name, id, explanation } of links) {
      check(`${name} is answered as judged`, (id ?? null) === seen.get(name), id);
      check(
        `${name} says that it was judged`,
        explanation.startsWith("You judged") || explanation.includes("You judged this on"),
        explanation,
      );
    }
    await shot(page, "table-learnt");
  }

  // Another visit takes over what the server has.
  const again = await open("#table");
  await openTable(again, path);
  await again.keyboard.press("Enter");
  await again.waitForSelector("#item-choices button");
  check(
    "judgements are taken over",
    (await text(again, "#review-summary")).includes("4 judged"),
    await text(again, "#review-summary"),
  );
  await tabTo(again, "#review-download", { key: "Shift+Tab" });
  compare(table, (await download(again)).bytes, seen);
  await again.context().close();
  await page.context().close();
});

/** Compares a download with the table: the bytes of each row come first, then the added cells, then its line end. */
function compare({ header, rows, lineEnd, mark, names }, bytes, judged) {
  const found = bytes.toString("utf8");
  check("the download is UTF-8", Buffer.from(found).equals(bytes));
  let at = 0;
  const take = (wanted, what) => {
    const got = found.slice(at, at + wanted.length);
    check(what, got === wanted, `${JSON.stringify(got)} in place of ${JSON.stringify(wanted)}`);
    at += wanted.length;
  };
  take(mark, "the byte order mark is kept");
  take(
    `${header};extra_1;truename_id;truename_matched_name;truename_preferred_name;truename_probability${lineEnd}`,
    "the header has the added columns",
  );
  rows.forEach((row, number) => {
    const isLast = number === rows.length - 1;
    take(row, `row ${number + 1} is as it was`);
    if (row === "") return take(lineEnd, "an empty line is as it was");
    const end = isLast ? found.length : found.indexOf(lineEnd, at);
    const added = found.slice(at, end);
    const width = row.replace(/"([^"]|"")*"/g, "x").split(";").length;
    const missing = ";".repeat(5 - width);
    check(
      `row ${number + 1} has four cells more`,
      added.startsWith(`${missing};`) && /^;+[^;"]*;("([^"]|"")*"|[^;"]*);("([^"]|"")*"|[^;"]*);([01]\.\d{4}|)$/.test(added),
      added,
    );
    const name = names.find((one) => row.includes(one) || row.includes(one.replaceAll('"', '""')));
    if (judged.has(name))
      check(
        `row ${number + 1} has its judgement`,
        added.slice(missing.length + 1).startsWith(`${judged.get(name) ?? ""};`),
        added,
      );
    at = end;
    if (!isLast) take(lineEnd, `row ${number + 1} has its line end`);
  });
  check("nothing comes after the last row", at === found.length);
}

/** Tables with delimiters, line ends, quotes, widths and cells of all kinds. */
const TABLES = {
  "quotes.csv":
    '\uFEFFID;name;note;"last"\r\n1;"heart; atack";"seen ""there"";\r\nand";x \r\n2;NIDDM;b\r\n\r\n3;arthritis, "rheumatoid";"a";b;c;d\r\n4;;;\r\n5;unknown;;\r\n6; aspirine ;x;y\r\n7;ASPIRIN;q;r',
  "quotes.tsv": 'name\tid\n"heart" attack\tX\na "b\tY\n',
  "list.csv": `name\nasthma\n\nheart atack\n"a\nb"\n${"x".repeat(5000)}\n`,
  "returns.csv": "name,x\rflu,1\rcold sore,2\r",
  "bars.csv": "id|name\n1|whooping cough\n2|flu|more\n",
  "formulas.csv": 'name,x\nflu,=1+1\n=HYPERLINK("x"),"@SUM(A1)"\n"\t=1",-3.5\n-2+3,+1\n,\n',
  "formulas.tsv": 'name\tx\nflu\t"=1+1"\n',
  "said.csv": "sep=;\r\nid;name\r\n1;flu, cold\r\n",
  "escaped.csv": 'id,name\n1,"heart \\"bad\\", attack"\n2,"flu \\"A\\""\n',
  "stray.csv": 'name,x\n5" disk,"b\n"cold "sore" x",2\nflu,"4, 5"\n',
};

if (options.truename) {
  await section("downloads are what `truename match` writes", async () => {
    for (const [name, content] of Object.entries(TABLES)) {
      const path = join(tmpdir(), name);
      writeFileSync(path, content);
      const page = await open("#table");
      await openTable(page, path);
      await page.keyboard.press("Enter");
      // A name may have no candidates.
      await page.waitForFunction(() => document.querySelector("#review-summary").textContent !== "");
      await tabTo(page, "#review-download", { key: "Shift+Tab" });
      const { bytes } = await download(page);
      const { stdout, status } = spawnSync(options.truename, ["match", path, "--csv-safe", "--quiet"]);
      check(`${name} is the same`, status === 0 && bytes.equals(stdout), `${bytes}\n${stdout}`);
      await page.context().close();
    }
  });
}

await section("judgements outlast a server that does not answer", async () => {
  const page = await open("#table", { missingIsFine: true });
  await page.evaluate(() => localStorage.setItem("truename user", "check"));
  await page.fill("#table-paste", `name\n${unseen("whooping cough")}\n${unseen("cold sore")}\n`);
  await page.click("#table-open [type=submit]");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#item-choices button");
  await page.route("**/v1/judgements?*", (route) => route.abort());
  await page.keyboard.press("n");
  await page.waitForFunction(() => /not yet saved: /.test(document.querySelector("#review-saved").textContent));
  check("what is not saved is told", true);
  check(
    "the browser keeps it",
    await page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith("truename unsaved"))),
  );
  await page.unroute("**/v1/judgements?*");
  await page.waitForFunction(() => document.querySelector("#review-saved").textContent === "All judgements are saved.", null, {
    timeout: 20_000,
  });
  check(
    "it is saved later",
    await page.evaluate(() => !Object.keys(localStorage).some((key) => key.startsWith("truename unsaved"))),
  );
  await page.context().close();
});

await section(`a table of ${options.rows} rows`, async () => {
  const count = Number(options.rows);
  const distinct = Array.from(
    { length: Math.min(count, 2000) },
    (_, at) => `${unseen(NAMES[at % NAMES.length])} ${String.fromCharCode(97 + (at % 26))}${at}`,
  );
  const rows = Array.from({ length: count }, (_, at) => `${at},"${distinct[at % distinct.length]}",${"x".repeat(at % 40)}`);
  const path = join(tmpdir(), "truename-check-large.csv");
  writeFileSync(path, `row,name,x\n${rows.join("\n")}\n`);
  const page = await open("#table");
  await page.evaluate(() => localStorage.setItem("truename user", "check"));
  const began = Date.now();
  await openTable(page, path);
  check("it opens within 5 s", Date.now() - began < 5000, `${Date.now() - began} ms`);
  // Cancelling keeps what is answered.
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    () => document.querySelector("#table-progress-bar").value > 0 || !document.querySelector("#review").hidden,
  );
  if (await page.isVisible("#table-cancel")) {
    await page.click("#table-cancel");
    await page.waitForSelector("#table-settings:not([hidden])");
    await page.keyboard.press("Enter");
  }
  await page.waitForSelector("#item-choices button", { timeout: 300_000 });
  check("the list is paged", (await page.locator("#names-rows tr").count()) === 50);
  for (let times = 0; times < 20; times += 1) await page.keyboard.press("n");
  await page.waitForFunction(() => document.querySelector("#review-summary").textContent.includes("20 judged"));
  const slowest = await page.evaluate(async () => {
    let longest = 0;
    for (let times = 0; times < 10; times += 1) {
      const start = performance.now();
      document.querySelector("#item").dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      longest = Math.max(longest, performance.now() - start);
    }
    return longest;
  });
  check("a judgement is shown within 250 ms", slowest < 250, `${slowest.toFixed(0)} ms`);
  await tabTo(page, "#review-download", { key: "Shift+Tab" });
  const { bytes } = await download(page);
  const lines = bytes.toString("utf8").split("\n");
  check("the download has all rows", lines.length === count + 2, lines.length);
  check(
    "each row begins as it was",
    rows.every((row, at) => lines[at + 1].startsWith(`${row},`)),
  );
  await page.context().close();
});

// ---- Browse ----------------------------------------------------------------------------------------------------------

const { pairs: tables } = await (await fetch(`${origin}/v1/bases`)).json();
if (tables.length > 0) {
  await section("pairs of records are labelled by keyboard", async () => {
    const page = await open("pairs");
    const shown = async () => (await page.locator("#pairs-pair thead code").allInnerTexts()).join(",");
    const labels = async () => (await (await page.request.get(`${origin}/v1/pairs/labels`)).text()).trimEnd().split("\n").slice(1);
    const before = (await labels()).length;
    const told = (more) => page.waitForFunction((count) => document.querySelector("#pairs-status").textContent.startsWith(`${count} `), before + more);
    await page.waitForSelector("#pairs-pair table");
    check("the view is that of the address", page.url().endsWith("#pairs"), page.url());
    const seen = [];
    for (const [key, more] of [["y", 1], ["n", 2], ["?", 2], ["n", 3], ["y", 4], ["y", 5], ["n", 6]]) {
      await page.waitForSelector("#pairs-pair table");
      seen.push([await shown(), key]);
      await page.keyboard.press(key);
      await told(more);
    }
    check("each pair is another one", new Set(seen.map(([pair]) => pair)).size === seen.length, seen);
    await page.waitForSelector("#pairs-pair table");
    await page.keyboard.press("u");
    await told(5);
    check("a pair comes back", (await shown()) === seen.at(-1)[0], await shown());
    await page.click("#pairs-same");
    await told(6);
    const wanted = seen.filter(([, key]) => key !== "?").map(([pair, key]) => `${pair},${key === "y" || pair === seen.at(-1)[0] ? 1 : 0}`);
    await page.waitForFunction(() => !document.querySelector("#pairs-save").disabled);
    const written = (await labels()).slice(before).map((row) => row.split(",").slice(0, 3).join(","));
    check("the server has the labels", written.join(" ") === wanted.join(" "), [written, wanted]);
    await shot(page, "pairs");
    for (const colorScheme of ["light", "dark"]) {
      const small = await open("pairs", { width: 320, colorScheme, bypassCSP: true });
      await small.waitForSelector("#pairs-pair table");
      await accessible(small, `a pair in ${colorScheme}`);
      await shot(small, `pairs-${colorScheme}`);
      await small.context().close();
    }
    await page.context().close();
  });
}

await section("the knowledge base is browsed", async () => {
  const page = await open("#browse", { missingIsFine: true });
  await tabTo(page, "#browse-input");
  await page.keyboard.type("diabetes type 2");
  await page.waitForSelector("#browse-results a");
  check("the address has the words", page.url().includes("#browse?q=diabetes+type+2"), page.url());
  await tabTo(page, "#browse-results a");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#browse-concept h3");
  const id = await text(page, "#browse-concept .facts-of code");
  check("the address has the concept", page.url().endsWith(`#browse/${encodeURIComponent(id)}`), page.url());
  check("it has names", (await page.locator("#browse-concept .synonyms li").count()) > 5);
  await page.goBack();
  await page.waitForSelector("#browse-results a");
  check("the way back leads to the results", (await page.inputValue("#browse-input")) === "diabetes type 2");
  await page.context().close();
  const missing = await open("#browse/no such id", { missingIsFine: true });
  await missing.waitForFunction(() => document.querySelector("#browse-error").textContent !== "");
  check("an unknown id is told", true);
  await missing.context().close();
});

// ---- Accessibility ---------------------------------------------------------------------------------------------------

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 1280],
  ["light", 320],
  ["dark", 320],
]) {
  await section(`every view is accessible, ${colorScheme}, ${width} px`, async () => {
    // axe-core measures with inline styles, which the policy forbids.
    const name = (view) => `${view}-${colorScheme}-${width}`;
    const page = await open("", { width, height: width < 500 ? 700 : 900, colorScheme, missingIsFine: true, bypassCSP: true });
    const look = async (view) => {
      await accessible(page, `${view} (${colorScheme}, ${width} px)`);
      await shot(page, name(view));
    };
    await page.click("#text-link");
    await page.waitForSelector("#text-result .mention");
    await look("text");
    await page.locator("#text-result .mention").nth(1).focus();
    await look("card");
    await page.locator("#mention").focus();
    await page.keyboard.press("b");
    await page.waitForSelector(".bounds:not([hidden])");
    await look("bounds");
    await page.keyboard.press("Escape");
    await page.click('[data-view="table"]');
    await look("open");
    await page.click("#table-example");
    await page.waitForSelector("#table-settings:not([hidden])");
    await look("settings");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#item-choices button");
    await look("review");
    await page.keyboard.press("?");
    await look("help");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.waitForSelector("#search-results [role=option]");
    await look("search");
    await page.keyboard.press("Escape");
    check("Escape closes the search", (await page.locator("dialog[open]").count()) === 0);
    await page.goto(`${origin}/#browse?q=heart`);
    await page.waitForSelector("#browse-results a");
    await look("browse");
    await page.goto(`${origin}/#browse/D003924`);
    await page.waitForSelector("#browse-concept h3");
    await look("concept");
    await page.goto(`${origin}/docs`);
    await page.waitForSelector(".operation");
    await page.evaluate(() =>
      document.querySelectorAll("details").forEach((details) => {
        details.open = true;
      }),
    );
    await look("docs");
    await page.context().close();
  });
}

await browser.close();
console.log(`${passed} checks passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
