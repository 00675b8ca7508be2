// Judged documents as files: JSONL, PubTator and brat, as the library reads them. Offsets of the documents count UTF-16 units, those of
// the files Unicode characters.

/** A name without the signs that a file name or a block of PubTator has no room for. */
const safe = (name, signs) => name.replace(signs, "_");
const oneLine = (text) => text.replace(/[\t\r\n]/g, " ");
/** Type of mentions that have none, for tools read no empty one. */
const UNTYPED = "Mention";
/** Resource that brat has before an id that names none. */
const NO_RESOURCE = "KB:";
/** Attributes of brat by assertion. */
const ATTRIBUTES = {
  negated: "Negation",
  hypothetical: "Hypothetical",
  historical: "Historical",
  family: "Family",
  uncertain: "Uncertain",
};

/** Returns a function that gives the number of Unicode characters before an offset. */
function characters(text) {
  if (!/[\uD800-\uDBFF]/.test(text)) return (offset) => offset;
  const before = new Uint32Array(text.length + 1);
  for (let at = 0, count = 0; at < text.length; at += 1) {
    const isSecond = at > 0 && /[\uDC00-\uDFFF]/.test(text[at]) && /[\uD800-\uDBFF]/.test(text[at - 1]);
    count += isSecond ? 0 : 1;
    before[at + 1] = count;
  }
  return (offset) => before[offset];
}

/** Returns documents as lines of JSON. */
export function jsonl(documents) {
  const line = ({ id, text, passages = [], mentions }) => {
    const count = characters(text);
    const at = ({ start, end }) => ({ start: count(start), end: count(end) });
    const written = mentions.map(({ start, end, fragments = [], types, id: concept, assertions = [] }) => ({
      ...at({ start, end }),
      ...(fragments.length > 0 && { fragments: fragments.map((bounds) => bounds.map(count)) }),
      text: text.slice(start, end),
      type: types[0] ?? UNTYPED,
      id: concept,
      ...(assertions.length > 0 && { assertions }),
    }));
    const parts = passages.map(({ type, start, end }) => ({ type, ...at({ start, end }) }));
    return JSON.stringify({ id, text, ...(parts.length > 0 && { passages: parts }), mentions: written });
  };
  return documents.map((document) => `${line(document)}\n`).join("");
}

/** Returns documents as blocks of PubTator: the first passage as the title, all others as the abstract. */
export function pubtator(documents) {
  return documents.map(block).join("");
}

function block({ id, text, passages = [], mentions }) {
  const [name, count] = [safe(id, /[|\t\r\n]/g) || "_", characters(text)];
  const written = text.replace(/[\r\n]/g, " ");
  const [end, start] = split(text, passages) ?? [text.length, text.length];
  const rows = [`${name}|t|${written.slice(0, end)}`, `${name}|a|${written.slice(start)}`];
  for (const { start: from, end: to, types, id: concept } of mentions) {
    const columns = [
      name,
      count(from),
      count(to),
      oneLine(written.slice(from, to)),
      oneLine(types[0] ?? UNTYPED),
      oneLine(concept ?? "-"),
    ];
    rows.push(columns.join("\t"));
  }
  for (const { start: from, end: to, assertions = [] } of mentions) {
    if (assertions.length > 0) rows.push([name, assertions.join(","), count(from), count(to)].join("\t"));
  }
  return `${rows.join("\n")}\n\n`;
}

/** Returns the end of the title and the start of the abstract; null where the two are not one blank apart. */
function split(text, passages) {
  const [first, second] = passages;
  let bounds = null;
  if (first?.start === 1) bounds = [0, 1];
  else if (first?.start === 0 && second) bounds = [first.end, second.start];
  return bounds && /^[\n\r\t ]$/.test(text.slice(...bounds)) && bounds[1] < text.length ? bounds : null;
}

/** Returns documents as the files of brat, pairs of a name and a content. */
export function brat(documents) {
  const taken = new Set();
  return documents.flatMap((document) => {
    const stem =
      safe(document.id, /[^\p{L}\p{N}._-]/gu)
        .replace(/^\.+/, "_")
        .slice(0, 100) || "_";
    let name = stem;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${stem}-${number}`;
    taken.add(name.toLowerCase());
    return [
      [`${name}.txt`, document.text],
      [`${name}.ann`, standoff(document)],
    ];
  });
}

function standoff({ text, mentions }) {
  const count = characters(text);
  const rows = { T: [], N: [], A: [] };
  const add = (letter, content) => rows[letter].push(`${letter}${rows[letter].length + 1}\t${content}`);
  for (const { start, end, fragments = [], types, id, assertions = [] } of mentions) {
    const pieces = fragments.length > 0 ? fragments : lines(text, start, end);
    const bounds = pieces.map((piece) => piece.map(count).join(" ")).join(";");
    const written = oneLine(pieces.map((piece) => text.slice(...piece)).join(" "));
    add("T", `${(types[0] ?? UNTYPED).replace(/\s/g, "_")} ${bounds}\t${written}`);
    const mention = `T${rows.T.length}`;
    for (const part of id?.split("|") ?? []) {
      const isResource = part.includes(":") && !part.startsWith(NO_RESOURCE);
      add("N", `Reference ${mention} ${isResource ? "" : NO_RESOURCE}${oneLine(part)}\t${written}`);
    }
    for (const assertion of assertions) add("A", `${ATTRIBUTES[assertion]} ${mention}`);
  }
  return Object.values(rows)
    .flat()
    .map((row) => `${row}\n`)
    .join("");
}

/** Returns the parts of a span between line ends, over which no span of brat goes. */
function lines(text, start, end) {
  return [...text.slice(start, end).matchAll(/[^\r\n]+/g)].map(({ index, 0: line }) => [
    start + index,
    start + index + line.length,
  ]);
}

/** Returns files as a ZIP archive without compression (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). */
export function zip(files) {
  const encoder = new TextEncoder();
  const [parts, directory] = [[], []];
  let offset = 0;
  for (const [name, content] of files) {
    const [path, data] = [encoder.encode(name), encoder.encode(content)];
    // Version 2.0, names in UTF-8, stored, midnight of 1980-01-01.
    const header = [20, 0x0800, 0, 0, 0x0021].flatMap((value) => bytes(value, 2));
    const sizes = [crc32(data), data.length, data.length].flatMap((value) => bytes(value, 4));
    const names = [path.length, 0].flatMap((value) => bytes(value, 2));
    const local = [...bytes(0x04034b50, 4), ...header, ...sizes, ...names];
    const central = [
      ...bytes(0x02014b50, 4),
      ...bytes(20, 2),
      ...header,
      ...sizes,
      ...names,
      ...bytes(0, 10),
      ...bytes(offset, 4),
    ];
    parts.push(Uint8Array.from(local), path, data);
    directory.push(Uint8Array.from(central), path);
    offset += local.length + path.length + data.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const counts = [0, 0, files.length, files.length].flatMap((value) => bytes(value, 2));
  const end = [...bytes(0x06054b50, 4), ...counts, ...bytes(length, 4), ...bytes(offset, 4), 0, 0];
  return [...parts, ...directory, Uint8Array.from(end)];
}

const bytes = (value, count) => Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** at) % 256);

function crc32(data) {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
