// The text of a linked document on the page: offsets of a selection in it, and ranges of it. Offsets count UTF-16 units.

const WORD = /[\p{L}\p{N}]+/gu;

/** The text of an article without the labels and cards of its mentions. */
export class AnnotatedText {
  constructor(article) {
    this.article = article;
    this.pieces = [];
    this.length = 0;
    const isText = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
      return node.matches(".card, .label") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    };
    for (const block of article.querySelectorAll(".text")) {
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, isText);
      while (walker.nextNode()) {
        this.pieces.push({ node: walker.currentNode, start: this.length });
        this.length += walker.currentNode.length;
      }
    }
  }

  /** Returns the offset of a place of the page. */
  offsetOf(node, offset) {
    const own = this.pieces.find((piece) => piece.node === node);
    if (own) return own.start + offset;
    const place = document.createRange();
    place.setStart(node, offset);
    const before = this.pieces.filter((piece) => place.comparePoint(piece.node, 0) < 0).at(-1);
    return before ? before.start + before.node.length : 0;
  }

  /** Returns the place of an offset. At a border it is the end of the piece before for `isEnd`, else the start of the one after. */
  placeOf(offset, isEnd) {
    const holds = ({ node, start }) => (isEnd ? offset > start : offset >= start) && offset <= start + node.length;
    const holding = this.pieces.filter(holds);
    const { node, start } = (isEnd ? holding[0] : holding.at(-1)) ?? this.pieces[0];
    return [node, offset - start];
  }

  /** Returns the range of a span. */
  range([start, end]) {
    const range = document.createRange();
    range.setStart(...this.placeOf(start, false));
    range.setEnd(...this.placeOf(end, true));
    return range;
  }

  /** Returns the span that is selected in the text; null if none is. */
  selected() {
    const selection = getSelection();
    if (selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.article.contains(range.startContainer) || !this.article.contains(range.endContainer)) return null;
    return [this.offsetOf(range.startContainer, range.startOffset), this.offsetOf(range.endContainer, range.endOffset)];
  }

  /** Selects a span. */
  select(span) {
    const range = this.range(span);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    (range.startContainer.parentElement ?? this.article).scrollIntoView({ block: "nearest" });
  }
}

/** Returns the article in which the user's selection begins; undefined if there is none. */
export function selectedArticle() {
  const { anchorNode: node, isCollapsed } = getSelection();
  const holder = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
  return isCollapsed ? undefined : (holder?.closest("article") ?? undefined);
}

/** Returns a span without white space at its ends; null if nothing is left. */
export function trimmed(text, [start, end]) {
  const piece = text.slice(start, end);
  if (piece.trim() === "") return null;
  return [start + (piece.length - piece.trimStart().length), end - (piece.length - piece.trimEnd().length)];
}

/** Returns a span after a key: `→` and `←` move its end by a word, with Shift its start, `↓` and `↑` the whole span. Null for other
 *  keys; the span itself where there is no further word. */
export function moved(text, [start, end], key, shift) {
  const words = [...text.matchAll(WORD)].map(({ index, 0: word }) => [index, index + word.length]);
  const after = (offset) => words.find(([from]) => from >= offset);
  const before = (offset) => words.filter(([, to]) => to <= offset).at(-1);
  const bounded = (from, to) => (from !== undefined && to !== undefined && from < to ? [from, to] : [start, end]);
  if (key === "ArrowDown") return after(end) ?? [start, end];
  if (key === "ArrowUp") return before(start) ?? [start, end];
  if (key === "ArrowRight" && shift) return bounded(words.find(([from]) => from > start)?.[0], end);
  if (key === "ArrowLeft" && shift) return bounded(words.filter(([from]) => from < start).at(-1)?.[0], end);
  if (key === "ArrowRight") return bounded(start, words.find(([, to]) => to > end)?.[1]);
  if (key === "ArrowLeft") return bounded(start, words.filter(([, to]) => to < end).at(-1)?.[1]);
  return null;
}
