// A delimited table whose rows keep their original bytes, read and written by the rules of `truename match`.

const [TAB, LINE_FEED, RETURN, QUOTE, APOSTROPHE] = [9, 10, 13, 34, 39];
/** Beginning of a cell that a spreadsheet runs as a formula; numbers are none. It takes the quotes of a TSV for its own. */
const FORMULA = /^"*([=@\t\r\n]|[+-](?![0-9.,%"]*[ \t\r\n\f]*$))/;

/** Forms of a table; of equally good delimiters the first is chosen. */
export const DIALECTS = [
  { value: ",", label: "comma", delimiter: 44, quoted: true },
  { value: ";", label: "semicolon", delimiter: 59, quoted: true },
  { value: "tab", label: "tab", delimiter: TAB, quoted: true },
  { value: "|", label: "bar |", delimiter: 124, quoted: true },
  { value: "tsv", label: "tab, quotes are letters", delimiter: TAB, quoted: false },
];
/** Number of rows examined after the header to find the delimiter. */
const ROWS_EXAMINED = 50;
/** Bytes in which those rows are looked for. */
const BEGINNING_BYTES = 1 << 18;
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
  if (starts(0xff, 0xfe)) return utf16(bytes, "utf-16le", true);
  if (starts(0xfe, 0xff)) return utf16(bytes, "utf-16be", false);
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

/** Rows of UTF-16 are held as UTF-8, so that a line feed is one byte. */
function utf16(file, label, isLittle) {
  let text;
  try {
    text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(file.subarray(2));
  } catch {
    throw new TableError("The file begins as UTF-16 and is not.", "Save it as UTF-8.");
  }
  const inside = utf8(file.subarray(0, 2), new TextEncoder().encode(text));
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

/** Finds the rows: splits at `\n`, `\r\n` and `\r` outside quoted cells. Returns three offsets a row: its start, the end
 *  of its content, and the end of its line end. A quote opens a cell only at its start. */
function rowsOf(bytes, { delimiter, quoted }, mostRows = Infinity) {
  const found = [];
  let [start, at, atCellStart, inQuotes, line, firstLine] = [0, 0, true, false, 1, 1];
  while (at < bytes.length) {
    const byte = bytes[at];
    if (inQuotes) {
      if (byte === QUOTE) {
        if (bytes[at + 1] === QUOTE) at += 1;
        else inQuotes = false;
      }
      if (byte === LINE_FEED || (byte === RETURN && bytes[at + 1] !== LINE_FEED)) line += 1;
      at += 1;
      continue;
    }
    if (byte === LINE_FEED || byte === RETURN) {
      const end = at;
      at += byte === RETURN && bytes[at + 1] === LINE_FEED ? 2 : 1;
      found.push(start, end, at);
      line += 1;
      [start, atCellStart, firstLine] = [at, true, line];
      if (found.length >= 3 * mostRows) return found;
      continue;
    }
    if (byte === QUOTE && quoted && atCellStart) inQuotes = true;
    atCellStart = byte === delimiter;
    at += 1;
  }
  if (inQuotes) {
    const hint = "If quotes are ordinary letters in this file, choose “tab, quotes are letters” as its delimiter.";
    throw new TableError(`Line ${firstLine}: a quote that is never closed.`, hint);
  }
  if (start < bytes.length) found.push(start, bytes.length, bytes.length);
  return found;
}

/** Returns the start and end of each cell of a row, quotes included. */
function cellsOf(bytes, start, end, { delimiter, quoted }) {
  const cells = [];
  let [from, atCellStart, inQuotes] = [start, true, false];
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (inQuotes) {
      if (byte === QUOTE) {
        if (at + 1 < end && bytes[at + 1] === QUOTE) at += 1;
        else inQuotes = false;
      }
      continue;
    }
    if (byte === QUOTE && quoted && atCellStart) inQuotes = true;
    atCellStart = byte === delimiter;
    if (atCellStart) {
      cells.push([from, at]);
      from = at + 1;
    }
  }
  cells.push([from, end]);
  return cells;
}

/** Returns the value of a cell without its quotes. */
function valueOf(bytes, [start, end], { quoted }) {
  if (!quoted || bytes[start] !== QUOTE || start === end) return bytes.subarray(start, end);
  const value = new Uint8Array(end - start);
  let [length, inQuotes] = [0, true];
  for (let at = start + 1; at < end; at += 1) {
    if (inQuotes && bytes[at] === QUOTE) {
      if (at + 1 < end && bytes[at + 1] === QUOTE) at += 1;
      else {
        inQuotes = false;
        continue;
      }
    }
    value[length] = bytes[at];
    length += 1;
  }
  return value.subarray(0, length);
}

/** Writes a value as a cell. Without quoting, tabs and line ends become spaces. */
function written(value, { delimiter, quoted }) {
  const mark = String.fromCharCode(delimiter);
  if (!quoted) return value.replace(/[\t\n\r]/g, " ");
  return [mark, '"', "\n", "\r"].some((special) => value.includes(special)) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Returns a row in which no cell is a formula to a spreadsheet, by the rules of `truename match --csv-safe`. */
function withoutFormulas(bytes, dialect) {
  const pieces = [];
  for (const [start, end] of cellsOf(bytes, 0, bytes.length, dialect)) {
    // Quotes around a whole cell are no letters to a spreadsheet.
    const isQuoted = bytes[start] === QUOTE && (dialect.quoted || (end - start > 1 && bytes[end - 1] === QUOTE));
    const value = start + (isQuoted && start < end ? 1 : 0);
    if (start > 0) pieces.push(Uint8Array.of(dialect.delimiter));
    pieces.push(bytes.subarray(start, value));
    if (FORMULA.test(new TextDecoder("latin1").decode(bytes.subarray(value, end)))) pieces.push(Uint8Array.of(APOSTROPHE));
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

/** Returns the dialect by which the header has a column called `name`, else by which most rows have as many cells as the
 *  header, else by which the header has most cells; a comma if none splits the header. */
export function guessDialect(codec, fileName) {
  if (/\.(tsv|tab)$/i.test(fileName)) return DIALECTS[4];
  let [best, bestFit] = [DIALECTS[0], [-1]];
  for (const dialect of DIALECTS.slice(0, 4)) {
    const fit = fitOf(codec, dialect);
    if (fit === null) continue;
    const difference = fit.map((part, at) => part - (bestFit[at] ?? -1)).find((part) => part !== 0) ?? 0;
    if (difference > 0) [best, bestFit] = [dialect, fit];
  }
  return best;
}

function fitOf(codec, dialect) {
  const isWhole = codec.bytes.length <= BEGINNING_BYTES;
  let bytes = codec.bytes.subarray(0, BEGINNING_BYTES);
  let rows;
  try {
    rows = rowsOf(bytes, dialect);
  } catch {
    return null;
  }
  const filled = [];
  for (let at = 0; at < rows.length && filled.length < ROWS_EXAMINED + 2; at += 3) {
    if (rows[at] < rows[at + 1]) filled.push([rows[at], rows[at + 1]]);
  }
  if (filled.length === 0) return null;
  const header = cellsOf(bytes, ...filled[0], dialect).map((cell) => folded(codec.decode(valueOf(bytes, cell, dialect))));
  if (header.length < 2) return null;
  const widths = filled.slice(1).map((row) => cellsOf(bytes, ...row, dialect).length);
  if (!isWhole || widths.length > ROWS_EXAMINED) widths.pop();
  const asWide = widths.filter((width) => width === header.length).length;
  return [Number(header.includes("name")), Math.floor((1000 * asWide) / Math.max(1, widths.length)), header.length];
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
  /** Reads the bytes of a file; `dialect` and `hasHeader` are guessed unless given. */
  constructor(file, fileName, { dialect, hasHeader } = {}) {
    if (file[0] === 0x1f && file[1] === 0x8b) {
      throw new TableError("The file is compressed.", "Unpack it first, or use `truename match`, which reads it as it is.");
    }
    this.fileName = fileName;
    this.codec = codecOf(file);
    this.dialect = dialect ?? guessDialect(this.codec, fileName);
    if (this.codec.name !== "UTF-16" && this.codec.bytes.subarray(0, 4096).includes(0)) {
      throw new TableError("The file is no table of text.", "Save the sheet as CSV, or copy its rows and paste them.");
    }
    const rows = Uint32Array.from(rowsOf(this.codec.bytes, this.dialect));
    this.rows = rows;
    /** Row of the header, or of the first row of a table without one; empty lines may come before it. */
    this.first = 0;
    while (this.first < rows.length / 3 && this.isEmpty(this.first)) this.first += 1;
    if (this.first === rows.length / 3) throw new TableError("The file is empty.", "A table has at least one row.");
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
    return cellsOf(this.codec.bytes, this.rows[3 * row], this.rows[3 * row + 1], this.dialect);
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
    const safe = (bytes) => (isSafe ? withoutFormulas(bytes, dialect) : bytes);
    codec.lost = 0;
    const pieces = [codec.mark];
    const mark = String.fromCharCode(dialect.delimiter);
    for (let row = 0; row < this.rowCount; row += 1) {
      const [start, end, next] = [rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]];
      const isHeader = this.hasHeader && row === this.first;
      if (!isHeader && this.passes(row)) {
        pieces.push(codec.finish(safe(codec.bytes.subarray(start, end))), codec.finish(codec.bytes.subarray(end, next)));
        continue;
      }
      const missing = Array(isHeader ? 0 : Math.max(0, this.width - this.widths[row])).fill("");
      const added = isHeader ? [...this.extra, ...this.addedNames()] : [...missing, ...valuesOf(row)];
      const text = added.map((value) => mark + written(value, dialect)).join("");
      pieces.push(
        codec.finish(safe(joined([codec.bytes.subarray(start, end), codec.encode(text)]))),
        codec.finish(codec.bytes.subarray(end, next)),
      );
    }
    return pieces;
  }
}
