// A delimited table whose rows keep their original bytes, read and written by the rules of `truename match`.

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, APOSTROPHE, BACKSLASH] = [9, 10, 13, 32, 34, 39, 92];
/** Beginning of a cell that a spreadsheet runs as a formula; numbers are none. It takes the quotes of a TSV for its own. */
const FORMULA = /^"*([=@\t\r\n]|[+-](?![0-9.,%"]*$))/;
const isFormula = (value) => FORMULA.test(value.replace(/[ \t\r\n\f]+$/, ""));

/** Forms of a table; of equally good delimiters the first is chosen. */
export const DIALECTS = [
  { value: ",", label: "comma", delimiter: 44, quoting: "doubled" },
  { value: ";", label: "semicolon", delimiter: 59, quoting: "doubled" },
  { value: "tab", label: "tab", delimiter: TAB, quoting: "doubled" },
  { value: "|", label: "bar |", delimiter: 124, quoting: "doubled" },
  { value: "tsv", label: "tab, quotes are letters", delimiter: TAB, quoting: "none" },
];
/** Number of rows examined after the header to find the delimiter. */
const ROWS_EXAMINED = 50;
/** Bytes in which those rows are looked for. */
const BEGINNING_BYTES = 1 << 14;
/** Lines in which a header is looked for, if titles stand above it. */
const TITLE_ROWS = 20;
/** Columns added to every row, in order. */
const ADDED = ["id", "matched_name", "preferred_name", "probability"];
/** Names of columns that often hold the names, most telling first. */
const TELLING = [
  "name",
  "names",
  "term",
  "label",
  "mention",
  "entity",
  "disease",
  "diagnosis",
  "drug",
  "chemical",
  "product",
  "title",
];

/** A file that cannot be read as a table. */
export class TableError extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** Normalizes a column's name: ignores capitals and surrounding blanks. */
const folded = (column) => column.trim().toLowerCase();

// ---- Encodings -------------------------------------------------------------------------------------------------------

/** Encoding of a file. `decode` gives the text of a cell, `encode` the bytes of a text that is added, `finish` the bytes
 *  of a whole row for the download. */
function codecOf(bytes) {
  const starts = (...mark) => mark.every((byte, at) => bytes[at] === byte);
  const marked = starts(0xff, 0xfe) ? "little" : starts(0xfe, 0xff) ? "big" : null;
  const order = marked ?? utf16ByZeros(bytes);
  if (order !== null) return utf16(bytes, order === "little", marked === null ? 0 : 2);
  const mark = starts(0xef, 0xbb, 0xbf) ? bytes.subarray(0, 3) : new Uint8Array();
  const rest = bytes.subarray(mark.length);
  return isUtf8(rest) ? utf8(mark, rest) : windows1252(rest);
}

function isUtf8(bytes) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function utf8(mark, bytes) {
  const [decoder, encoder] = [new TextDecoder("utf-8", { ignoreBOM: true }), new TextEncoder()];
  const same = (row) => row;
  return {
    name: "UTF-8",
    mark,
    bytes,
    decode: (cell) => decoder.decode(cell),
    encode: (text) => encoder.encode(text),
    finish: same,
    lost: 0,
  };
}

/** Returns the byte order of UTF-16 without a mark: NUL bytes stand in one of two places, and a fourth of all bytes are such. */
function utf16ByZeros(bytes) {
  const counts = [0, 0];
  const beginning = bytes.subarray(0, BEGINNING_BYTES);
  beginning.forEach((byte, at) => (counts[at % 2] += Number(byte === 0)));
  if (4 * Math.max(...counts) < beginning.length || Math.min(...counts) > 0 || counts[0] === counts[1]) return null;
  return counts[1] > 0 ? "little" : "big";
}

/** Rows of UTF-16 are held as UTF-8, so that a line feed is one byte. */
function utf16(file, isLittle, markLength) {
  let text;
  try {
    const decoder = new TextDecoder(isLittle ? "utf-16le" : "utf-16be", { fatal: true, ignoreBOM: true });
    text = decoder.decode(file.subarray(markLength));
  } catch {
    throw new TableError("The file begins as UTF-16 and is not.", "Save it as UTF-8.");
  }
  const inside = utf8(file.subarray(0, markLength), new TextEncoder().encode(text));
  const finish = (row) => {
    const line = inside.decode(row);
    const view = new DataView(new ArrayBuffer(line.length * 2));
    for (let at = 0; at < line.length; at += 1) view.setUint16(at * 2, line.charCodeAt(at), isLittle);
    return new Uint8Array(view.buffer);
  };
  return { ...inside, name: "UTF-16", finish };
}

/** Windows-1252 gives each byte a letter, so every file can be read as it. */
function windows1252(bytes) {
  const decoder = new TextDecoder("windows-1252");
  const letters = decoder.decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const byteOf = new Map([...letters].map((letter, byte) => [letter, byte]));
  const codec = {
    name: "Windows-1252",
    mark: new Uint8Array(),
    bytes,
    decode: (cell) => decoder.decode(cell),
    finish: (row) => row,
    lost: 0,
  };
  codec.encode = (text) =>
    Uint8Array.from([...text], (letter) => {
      if (byteOf.has(letter)) return byteOf.get(letter);
      codec.lost += 1;
      return 63;
    });
  return codec;
}

// ---- Rows and cells --------------------------------------------------------------------------------------------------
// The rules are those of the crate truename-read (record.rs).

const isLineEnd = (byte) => byte === LINE_FEED || byte === RETURN;

/** Returns the end of the line that begins at `from`. */
function lineEnd(bytes, from) {
  let at = from;
  while (at < bytes.length && !isLineEnd(bytes[at])) at += 1;
  return at;
}

/** Returns the start of the line behind the line end at `at`. */
function nextLine(bytes, at) {
  return Math.min(bytes.length, bytes[at] === RETURN && bytes[at + 1] === LINE_FEED ? at + 2 : at + 1);
}

/** Reads the row that begins at `from`: the place of each value, and whether it is written with escapes; the end of the content, and the
 *  start of the next row. A quote opens a cell at its beginning, and closes it before a delimiter or line end. Where a quoted cell would
 *  reach over what looks like another quoted cell, its quote is a letter, and the row ends with its line. So it does where the quoted
 *  cell makes the row wider or narrower than the header, which has `width` cells, and each of the lines that it joins is as wide. */
function readRow(bytes, from, dialect, width) {
  const row = splitRow(bytes, from, dialect);
  const isRow = (line) => line.length === 0 || splitRow(line, 0, dialect, true).cells.length === width;
  if (!(width > 1) || row.isCut || row.end <= lineEnd(bytes, from)) return row;
  const lines = [];
  for (let at = from; at < row.end; at = nextLine(bytes, lineEnd(bytes, at))) lines.push(bytes.subarray(at, lineEnd(bytes, at)));
  if (!lines.every(isRow)) return row;
  if (row.cells.length === width) return { ...row, joinsRows: true };
  return { ...readLine(bytes, from, dialect), hasOpenQuote: true, apart: lines.length - 1 };
}

/** Reads a line as a row, whatever its quotes. */
function readLine(bytes, from, dialect) {
  const end = lineEnd(bytes, from);
  return { ...splitRow(bytes.subarray(0, end), from, dialect, true), next: nextLine(bytes, end) };
}

/** Splits the row that begins at `from`, as `readRow` does without a header; `isLine` if it ends with its line, whatever its quotes. */
function splitRow(bytes, from, { delimiter, quoting }, isLine = false) {
  const isEscaped = quoting === "escaped";
  const isBlank = (byte) => byte === SPACE || (byte === TAB && delimiter !== TAB);
  const afterBlanks = (at, end) => {
    while (at < end && isBlank(bytes[at])) at += 1;
    return at;
  };
  const row = { cells: [], hasOpenQuote: false, hasStrayQuote: false };
  let lines = lineEnd(bytes, from);
  let [start, at, quoted, literal, isCut] = [from, from, null, from, false];
  const push = (first, last, isWritten, next) => {
    row.cells.push([first, last, isWritten]);
    [start, at] = [next, next];
  };
  const takeLiterally = () => {
    literal = quoted.open + 1;
    quoted = null;
  };
  const reopen = () => {
    isCut ||= lineEnd(bytes, quoted.open) <= at;
    takeLiterally();
  };
  const readQuoted = (end) => {
    for (; at < end; at += 1) {
      const [byte, next] = [bytes[at], at + 1 < end ? bytes[at + 1] : null];
      if ((byte === BACKSLASH && isEscaped) || (byte === QUOTE && next === QUOTE)) {
        quoted.isWritten = true;
        at += 1;
      } else if (byte === QUOTE) {
        const after = afterBlanks(at + 1, end);
        const before = bytes[at - 1];
        if (after === end || bytes[after] === delimiter || isLineEnd(bytes[after])) {
          const { open, strays, closesEarly, isWritten } = quoted;
          quoted = null;
          row.hasStrayQuote ||= strays > 0;
          // `"a" and "b"`: the quotes belong to two words.
          if (closesEarly && strays % 2 === 0) push(open, after, false, after + 1);
          else push(open + 1, at, isWritten, after + 1);
          return true;
        }
        if (before === delimiter || isLineEnd(before)) return reopen() ?? true;
        quoted.closesEarly ||= quoted.strays === 0 && after > at + 1 && !isBlank(before);
        quoted.strays += 1;
      } else if ((byte === delimiter && (delimiter === TAB || quoted.strays > 0)) || (isLineEnd(byte) && quoted.strays > 0)) {
        return reopen() ?? true;
      }
    }
    return false;
  };
  const readPlain = (end) => {
    let [stop, quotes, backslashes, isWritten] = [start, 0, 0, false];
    for (; stop < end && (bytes[stop] !== delimiter || (isEscaped && backslashes % 2 === 1)); stop += 1) {
      quotes += Number(bytes[stop] === QUOTE);
      backslashes = bytes[stop] === BACKSLASH ? backslashes + 1 : 0;
      isWritten ||= isEscaped && backslashes > 0;
    }
    row.hasOpenQuote ||= start + 1 === literal && delimiter !== TAB && quotes % 2 === 1;
    push(start, stop, isWritten, stop + 1);
  };
  for (;;) {
    row.end = isCut ? Math.min(lines, lineEnd(bytes, literal)) : lines;
    if (quoted !== null) {
      if (readQuoted(row.end)) continue;
      const further = nextLine(bytes, lines);
      if (quoted.open > start) takeLiterally();
      else if (!isCut && further < bytes.length) lines = lineEnd(bytes, further);
      else if (isCut || isLine || delimiter === TAB) {
        isCut = true;
        takeLiterally();
      } else throw neverClosed(bytes, from);
      continue;
    }
    if (start > row.end) return Object.assign(row, { isCut, next: nextLine(bytes, row.end) });
    const open = afterBlanks(start, row.end);
    if (quoting !== "none" && open >= literal && open < row.end && bytes[open] === QUOTE) {
      quoted = { open, strays: 0, closesEarly: false, isWritten: false };
      at = open + 1;
    } else readPlain(row.end);
  }
}

function neverClosed(bytes, from) {
  let line = 1;
  for (let at = lineEnd(bytes, 0); at < from; at = lineEnd(bytes, nextLine(bytes, at))) line += 1;
  const hint = "If quotes are ordinary letters in this file, choose “tab, quotes are letters” as its delimiter.";
  return new TableError(`Line ${line}: a quote that is never closed.`, hint);
}

/** Returns the value of a cell. */
function valueOf(bytes, [start, end, isWritten], { delimiter, quoting }) {
  if (!isWritten) return bytes.subarray(start, end);
  const value = new Uint8Array(end - start);
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const next = at + 1 < end ? bytes[at + 1] : null;
    const escapes = quoting === "escaped" && ([QUOTE, BACKSLASH, delimiter].includes(next) || isLineEnd(next));
    if ((bytes[at] === QUOTE && next === QUOTE) || (bytes[at] === BACKSLASH && escapes)) at += 1;
    value[length] = bytes[at];
    length += 1;
  }
  return value.subarray(0, length);
}

/** Writes a value as a cell. In a table with tabs, tabs and line ends become spaces. */
function written(value, { delimiter, quoting }) {
  const mark = String.fromCharCode(delimiter);
  if (delimiter === TAB || quoting === "none") return value.replace(/[\t\n\r]/g, " ");
  const isEscaped = quoting === "escaped";
  if (![mark, '"', "\n", "\r", ...(isEscaped ? ["\\"] : [])].some((special) => value.includes(special))) return value;
  return `"${isEscaped ? value.replace(/[\\"]/g, "\\$&") : value.replaceAll('"', '""')}"`;
}

/** Returns the places of the cells of a row as they are written, quotes included; those of a row whose quotes are odd may be others. */
function writtenCells(bytes, { delimiter, quoting }) {
  const cells = [];
  let [start, hasText] = [0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === delimiter) {
      cells.push([start, at]);
      [start, hasText] = [at + 1, false];
    } else if (bytes[at] === QUOTE && !hasText && quoting !== "none") {
      hasText = true;
      for (at += 1; at < bytes.length && (bytes[at] !== QUOTE || bytes[at + 1] === QUOTE); at += 1) {
        if (bytes[at] === QUOTE || (bytes[at] === BACKSLASH && quoting === "escaped")) at += 1;
      }
    } else hasText ||= bytes[at] !== SPACE;
  }
  return [...cells, [start, bytes.length]];
}

const asText = (value) => (isFormula(value) ? `'${value}` : value);

/** Returns a row with these values, in which no cell is a formula to a spreadsheet, by the rules of `truename match --csv-safe`. */
function withoutFormulas(bytes, values, dialect) {
  // Each byte is one letter.
  const text = (part) => Array.from(part, (byte) => String.fromCharCode(byte)).join("");
  const cells = writtenCells(bytes, dialect);
  if (cells.length !== values.length) {
    const texts = values.map(text);
    if (!texts.some(isFormula)) return bytes;
    const safe = texts.map((value) => written(asText(value), dialect));
    return Uint8Array.from(safe.join(String.fromCharCode(dialect.delimiter)), (letter) => letter.charCodeAt(0));
  }
  const pieces = [];
  for (const [start, end] of cells) {
    const value = start + Number(start < end && bytes[start] === QUOTE);
    if (start > 0) pieces.push(Uint8Array.of(dialect.delimiter));
    pieces.push(bytes.subarray(start, value));
    if (isFormula(text(bytes.subarray(value, end)))) pieces.push(Uint8Array.of(APOSTROPHE));
    pieces.push(bytes.subarray(value, end));
  }
  return joined(pieces);
}

function joined(pieces) {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  pieces.reduce((at, piece) => (bytes.set(piece, at), at + piece.length), 0);
  return bytes;
}

// ---- Guesses ---------------------------------------------------------------------------------------------------------

/** Returns the delimiter that a line `sep=;` says, as spreadsheets write it above the header. */
function saidBy(line) {
  const said = /^"?sep=(.?)"?[ \r\n]*$/i.exec(line)?.[1];
  return said === undefined ? undefined : DIALECTS.find(({ delimiter }) => delimiter === (said === "" ? TAB : said.charCodeAt(0)));
}

/** Returns the first lines of a text that are not read as rows. */
function firstLines(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length && lines.length < TITLE_ROWS; at = nextLine(bytes, lineEnd(bytes, at))) {
    lines.push(bytes.subarray(at, lineEnd(bytes, at)));
  }
  return lines;
}

/** Returns the number of titles above the header: lines with one text at most, before a line with the name of a column of names. */
function guessSkipped(codec) {
  const ofLine = (line) =>
    DIALECTS.slice(0, 4).map((dialect) => {
      // A title may have a quote that is never closed.
      const { cells } = readRow(line, 0, line.includes(QUOTE) ? { ...dialect, quoting: "none" } : dialect);
      return cells.map((cell) => folded(codec.decode(line.subarray(cell[0], cell[1])).replaceAll('"', "")));
    });
  const lines = firstLines(codec.bytes).map(ofLine);
  const header = lines.findIndex((line) => line.some((cells) => cells.length > 1 && cells.some((cell) => TELLING.includes(cell))));
  const isTitle = (line) => line.every((cells) => cells.filter((cell) => cell !== "").length < 2);
  const above = lines.slice(0, Math.max(0, header));
  return above.some((line) => line[0][0] !== "") && above.every(isTitle) ? header : 0;
}

/** Returns the dialect by which the header has a column called `name`, else by which most rows have as many cells as the
 *  header, else by which most quotes are in their places, else by which the header has most cells; the first if none splits the header. */
export function guessDialect(codec, fileName, said, skipped) {
  const usual = /\.(tsv|tab)$/i.test(fileName) ? [DIALECTS[2]] : [];
  const delimited = said ? [said] : [...usual, ...DIALECTS.slice(0, 4)];
  const isEscaped = codec.decode(codec.bytes.subarray(0, BEGINNING_BYTES)).includes('\\"');
  const variants = (dialect) =>
    isEscaped && dialect.quoting === "doubled" ? [dialect, { ...dialect, quoting: "escaped" }] : [dialect];
  let [best, bestFit] = [delimited[0], [0, 0, 0, 0]];
  for (const dialect of delimited.flatMap(variants)) {
    const fit = fitOf(codec, dialect, skipped, said !== undefined);
    const difference = fit?.map((part, at) => part - bestFit[at]).find((part) => part !== 0) ?? 0;
    if (difference > 0) [best, bestFit] = [dialect, fit];
  }
  return best;
}

function fitOf(codec, dialect, skipped, isSaid) {
  const bytes = codec.bytes.subarray(0, BEGINNING_BYTES);
  let at = 0;
  for (let number = 0; number < skipped; number += 1) at = nextLine(bytes, lineEnd(bytes, at));
  const rows = [];
  try {
    while (at < bytes.length && rows.length < ROWS_EXAMINED + 2) {
      const row = readRow(bytes, at, dialect);
      if (row.end > at) rows.push(row);
      at = row.next;
    }
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
  }
  const [first, ...others] = rows;
  if (first === undefined || (first.cells.length < 2 && !isSaid)) return null;
  const header = first.cells.map((cell) => folded(codec.decode(valueOf(bytes, cell, dialect))));
  if (codec.bytes.length > BEGINNING_BYTES || others.length > ROWS_EXAMINED) others.pop();
  const share = (fits) => Math.floor((1000 * others.filter(fits).length) / Math.max(1, others.length));
  return [
    Number(header.includes("name")),
    share(({ cells }) => cells.length === header.length),
    share(({ hasOpenQuote, hasStrayQuote }) => !hasOpenQuote && !hasStrayQuote),
    header.length,
  ];
}

const isNumber = (text) => /^[\s\d.,:/+-]*$/.test(text);

/** Returns whether the first row looks like a header. */
function looksLikeHeader(first, others) {
  if (first.length === 1) return TELLING.includes(folded(first[0]));
  const isTitle = (cell) => cell.trim() !== "" && !isNumber(cell) && cell.length <= 60;
  if (!first.every(isTitle) || new Set(first.map(folded)).size < first.length) return false;
  // A title that stands in its column again is a value.
  return !others.some((row) => row.some((cell, at) => cell === first[at] && first.length > 1 && cell.length > 12));
}

/** Returns the position of the column that most likely holds the names. */
function guessColumn(columns, rows) {
  const score = (title, at) => {
    const cells = rows.map((row) => row[at] ?? "").filter((cell) => cell.trim() !== "");
    const texts = cells.filter((cell) => !isNumber(cell));
    const share = cells.length === 0 ? 0 : texts.length / Math.max(1, rows.length);
    const distinct = texts.length === 0 ? 0 : new Set(texts).size / texts.length;
    const told = TELLING.findIndex((word) => folded(title) === word);
    const contained = TELLING.some((word) =>
      folded(title)
        .split(/[\s_-]+/)
        .includes(word),
    );
    return share * distinct + (told >= 0 ? 2 - told / 100 : contained ? 1 : 0);
  };
  const scores = columns.map(score);
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

// ---- The table -------------------------------------------------------------------------------------------------------

/** A table with its columns and rows. */
export class Table {
  /** Reads the bytes of a file; `dialect`, `hasHeader` and `skipped`, the number of rows above the header, are guessed unless given. */
  constructor(file, fileName, { dialect, hasHeader, skipped } = {}) {
    if (file[0] === 0x1f && file[1] === 0x8b) {
      throw new TableError("The file is compressed.", "Unpack it first, or use `truename match`, which reads it as it is.");
    }
    this.fileName = fileName;
    this.codec = codecOf(file);
    const { bytes } = this.codec;
    if (bytes.subarray(0, 4096).includes(0)) {
      throw new TableError("The file is no table of text.", "Save the sheet as CSV, or copy its rows and paste them.");
    }
    const said = firstLines(bytes).find((line) => line.length > 0);
    const saidDialect = said && saidBy(this.codec.decode(said));
    this.skipped = skipped ?? (saidDialect ? 0 : guessSkipped(this.codec));
    this.dialect = guessDialect(this.codec, fileName, dialect ?? saidDialect, this.skipped + Number(saidDialect !== undefined));
    this.openQuotes = 0;
    const rows = [];
    /** Rows that are lines whatever their quotes: a quote above would have joined them. */
    this.apart = new Set();
    let [width, apart] = [undefined, 0];
    for (let at = 0; at < bytes.length; at = rows.at(-1)) {
      const isTitle = rows.length < 3 * this.skipped;
      const read = () => (apart > 0 ? readLine(bytes, at, this.dialect) : readRow(bytes, at, this.dialect, width));
      const row = isTitle ? { end: lineEnd(bytes, at) } : read();
      if (apart > 0) this.apart.add(rows.length / 3);
      apart = row.apart ?? Math.max(0, apart - 1);
      const isAbove = isTitle || row.end === at || (saidDialect && saidBy(this.codec.decode(bytes.subarray(at, row.end))));
      if (width === undefined && !isAbove) width = row.cells.length;
      this.openQuotes += Number(row.hasOpenQuote || row.joinsRows || false);
      rows.push(at, row.end, row.next ?? nextLine(bytes, row.end));
    }
    this.rows = Uint32Array.from(rows);
    /** Row of the header, or of the first row of a table without one; empty lines, titles and a line `sep=;` may come before it. */
    this.first = this.skipped;
    const isSaid = () => saidDialect !== undefined && saidBy(this.codec.decode(bytes.subarray(...this.rows.slice(3 * this.first))));
    while (this.first < this.rowCount && (this.isEmpty(this.first) || isSaid())) this.first += 1;
    if (this.first >= this.rowCount) throw new TableError("The file is empty.", "A table has at least one row.");
    this.measure();
    this.beginning = this.someRows(this.first + 1, 200);
    const firstCells = this.cells(this.first);
    this.hasHeader = hasHeader ?? looksLikeHeader(firstCells, this.beginning);
    this.nameColumns(firstCells);
    this.column = guessColumn(this.columns, this.beginning);
  }

  get rowCount() {
    return this.rows.length / 3;
  }

  /** Row at which the values begin. */
  get firstValue() {
    return this.first + (this.hasHeader ? 1 : 0);
  }

  isEmpty(row) {
    return this.rows[3 * row] === this.rows[3 * row + 1];
  }

  /** Returns whether a row passes through unchanged: an empty line of a table with several columns. */
  passes(row) {
    return row < this.firstValue || (this.isEmpty(row) && this.width > 1);
  }

  ranges(row) {
    if (this.apart.has(row)) return readLine(this.codec.bytes, this.rows[3 * row], this.dialect).cells;
    const width = row > this.first ? this.headerWidth : undefined;
    return readRow(this.codec.bytes, this.rows[3 * row], this.dialect, width).cells;
  }

  /** Returns the values of a row's cells. */
  cells(row) {
    return this.ranges(row).map((cell) => this.decoded(cell));
  }

  decoded(range) {
    return this.codec.decode(valueOf(this.codec.bytes, range, this.dialect));
  }

  /** Counts the cells of all rows. */
  measure() {
    this.headerWidth = this.ranges(this.first).length;
    this.widths = new Uint16Array(this.rowCount);
    for (let row = 0; row < this.rowCount; row += 1) this.widths[row] = Math.min(65535, this.ranges(row).length);
    this.width = this.widths.reduce((widest, width) => Math.max(widest, width), this.headerWidth);
  }

  /** Returns the values of some rows, without empty lines. */
  someRows(from, count) {
    const found = [];
    for (let row = from; row < this.rowCount && found.length < count; row += 1) {
      if (!this.isEmpty(row) || this.width === 1) found.push(this.cells(row));
    }
    return found;
  }

  /** Names the columns: cells beyond the header get `extra_1` and so on, as `truename match` names them. */
  nameColumns(firstCells) {
    if (!this.hasHeader) {
      this.extra = [];
      this.columns = Array.from({ length: this.width }, (_, at) => `column ${at + 1}`);
      return;
    }
    const taken = new Set(firstCells.map(folded));
    this.extra = [];
    for (let number = 1; firstCells.length + this.extra.length < this.width; number += 1) {
      if (!taken.has(`extra_${number}`)) this.extra.push(`extra_${number}`);
    }
    this.columns = [...firstCells, ...this.extra];
  }

  /** Returns the names of the added columns, none of which is taken, ignoring capitals and blanks: the plain names, else
   *  all with the prefix `truename_`, else with a number appended too. */
  addedNames() {
    const taken = new Set(this.hasHeader ? this.columns.map(folded) : []);
    const isFree = (names) => names.every((name) => !taken.has(name));
    const prefixed = ADDED.map((name) => `truename_${name}`);
    if (isFree(ADDED)) return ADDED;
    if (isFree(prefixed)) return prefixed;
    for (let number = 2; ; number += 1) {
      const numbered = prefixed.map((name) => `${name}_${number}`);
      if (isFree(numbered)) return numbered;
    }
  }

  /** Returns the distinct values of a column in order of occurrence, the number of rows of each, and the value of each
   *  row as a position among them; -1 for a row that passes through. */
  distinct(column) {
    const [positions, names, counts] = [new Map(), [], []];
    const ofRow = new Int32Array(this.rowCount).fill(-1);
    for (let row = this.firstValue; row < this.rowCount; row += 1) {
      if (this.passes(row)) continue;
      const range = this.ranges(row)[column];
      const name = range === undefined ? "" : this.decoded(range);
      let at = positions.get(name);
      if (at === undefined) {
        at = names.length;
        positions.set(name, at);
        names.push(name);
        counts.push(0);
      }
      counts[at] += 1;
      ofRow[row] = at;
    }
    return { names, counts, ofRow };
  }

  /** Returns the file with the added columns, in pieces. `valuesOf(row)` returns the four added values of a row; `isSafe` writes
   *  formulas as text. */
  write(valuesOf, isSafe) {
    const { codec, dialect, rows } = this;
    codec.lost = 0;
    const pieces = [codec.mark];
    const mark = String.fromCharCode(dialect.delimiter);
    for (let row = 0; row < this.rowCount; row += 1) {
      const [start, end, next] = [rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]];
      const isHeader = this.hasHeader && row === this.first;
      const content = codec.bytes.subarray(start, end);
      if (!isHeader && this.passes(row)) {
        pieces.push(codec.finish(codec.bytes.subarray(start, next)));
        continue;
      }
      const values = isSafe ? this.ranges(row).map((cell) => valueOf(codec.bytes, cell, dialect)) : [];
      const missing = Array(isHeader ? 0 : Math.max(0, this.width - this.widths[row])).fill("");
      const added = isHeader ? [...this.extra, ...this.addedNames()] : [...missing, ...valuesOf(row)];
      const text = added.map((value) => mark + written(isSafe ? asText(value) : value, dialect)).join("");
      pieces.push(
        codec.finish(joined([isSafe ? withoutFormulas(content, values, dialect) : content, codec.encode(text)])),
        codec.finish(codec.bytes.subarray(end, next)),
      );
    }
    return pieces;
  }
}
