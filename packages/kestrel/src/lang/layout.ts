// The layout: lines to statements and clauses, with the comments that belong to each.
import type { Comment } from './model.ts';
import type { Scan } from './scan.ts';

/** One clause: its tokens `[from, to)`, over however many lines, and its comments. */
export interface Clause {
  from: number;
  to: number;
  leading: Comment[] | undefined;
  trailing: Comment | undefined;
}

/** One statement: the head line (or lines), the clauses under it, and what dangles at its end. */
export interface Block {
  readonly head: Clause;
  /** The first `count` are this statement's. */
  readonly clauses: Clause[];
  count: number;
  blank: boolean;
  dangling: Comment[] | undefined;
}

function newClause(): Clause {
  return { from: 0, to: 0, leading: undefined, trailing: undefined };
}

/** Heads whose indented lines are clauses; under every other head they continue the head. */
const blockHeads = new Set(['PLAN', 'POD', 'GRADE']);
const runOnHeads = new Set(['IMPORT', 'USING', 'WAKE', 'VIEW']);

/** Reads a document block by block, each into the same block. */
export class Layout {
  /** Comments after the last statement, once the end has been reached. */
  dangling: Comment[] | undefined;
  /** Whether the document begins with an indented line of text, and where its tokens are. */
  stray: { readonly from: number; readonly to: number } | undefined;
  readonly #scan: Scan;
  #line = 0;
  #leading: Comment[] = [];
  #blank = false;
  #first = true;
  readonly #block: Block = { head: newClause(), clauses: [], count: 0, blank: false, dangling: undefined };

  constructor(scan: Scan) {
    this.#scan = scan;
    this.#preamble();
  }

  #tokens(line: number): number {
    return this.#scan.lineToken[line + 1]! - this.#scan.lineToken[line]!;
  }

  #comment(line: number): Comment | undefined {
    const from = this.#scan.lineComment[line]!;
    return from < 0 ? undefined : this.#scan.text.slice(from, this.#scan.lineCommentEnd[line]);
  }

  /** Comments before the first statement lead it: there is no block above at whose end they could dangle. */
  #preamble(): void {
    const lines = this.#scan.lineCount;
    let strayFrom = -1;
    let strayTo = -1;
    for (; this.#line < lines; this.#line++) {
      const comment = this.#comment(this.#line);
      if (this.#tokens(this.#line) > 0) {
        if (this.#scan.lineIndent[this.#line] === 0) break;
        if (strayFrom < 0) strayFrom = this.#scan.lineToken[this.#line]!;
        strayTo = this.#scan.lineToken[this.#line + 1]!;
      }
      if (comment !== undefined) this.#leading.push(comment);
    }
    if (strayFrom >= 0) this.stray = { from: strayFrom, to: strayTo };
    if (this.#line >= lines && this.#leading.length > 0) this.dangling = this.#leading;
  }

  /** The next statement, or undefined at the end of the text. */
  next(): Block | undefined {
    const scan = this.#scan;
    const lines = scan.lineCount;
    if (this.#line >= lines) return undefined;
    const block = this.#block;
    const { head } = block;
    head.from = scan.lineToken[this.#line]!;
    head.to = scan.lineToken[this.#line + 1]!;
    head.leading = this.#leading.length > 0 ? this.#leading : undefined;
    head.trailing = this.#comment(this.#line);
    block.count = 0;
    block.blank = this.#blank && !this.#first;
    block.dangling = undefined;
    this.#first = false;
    const word = scan.text.slice(scan.start[head.from], scan.end[head.from]);
    // Lines under an unknown head are skipped with it, whatever they are.
    const runsOn = runOnHeads.has(word) || !blockHeads.has(word);
    let last: Clause | undefined = runsOn ? head : undefined;
    let clauseIndent = -1;
    let pending: Comment[] = [];
    let pendingIndented = false;
    let pendingBlank = false;
    let blank = false;
    let floating: Comment[] = [];
    // Index in `floating` of the first comment in column 0: at the end of the text, it and what follows it dangle
    // from the document.
    let outer = -1;
    // Length of `floating` at the last line of text: what came since stands between the lines of a continued clause.
    let settled = 0;
    const float = (): void => {
      floating = floating.length === 0 ? pending : floating.concat(pending);
      pending = [];
    };
    for (this.#line++; this.#line < lines; this.#line++) {
      const line = this.#line;
      const indent = scan.lineIndent[line]!;
      const comment = this.#comment(line);
      if (this.#tokens(line) === 0) {
        if (comment === undefined) {
          if (pending.length > 0) float();
          blank = true;
          continue;
        }
        if (pending.length > 0 && pendingIndented && indent === 0) float();
        if (pending.length === 0) {
          pendingBlank = blank;
          blank = false;
        }
        if (indent === 0 && outer < 0) outer = floating.length + pending.length;
        pending.push(comment);
        pendingIndented = indent > 0;
        continue;
      }
      if (indent === 0) {
        if (pending.length > 0 && pendingIndented) float();
        this.#leading = pending;
        this.#blank = pending.length > 0 ? pendingBlank : blank;
        if (floating.length > 0) block.dangling = floating;
        return block;
      }
      blank = false;
      outer = -1;
      if (last !== undefined && (runsOn || indent > clauseIndent)) {
        if (floating.length > settled) {
          pending = floating.slice(settled).concat(pending);
          floating = floating.slice(0, settled);
        }
        if (comment !== undefined) pending.push(comment);
        if (pending.length > 0) last.leading = last.leading === undefined ? pending : last.leading.concat(pending);
        if (pending.length > 0) pending = [];
        last.to = scan.lineToken[line + 1]!;
        continue;
      }
      settled = floating.length;
      if (clauseIndent < 0) clauseIndent = indent;
      last = block.clauses[block.count];
      if (last === undefined) {
        last = newClause();
        block.clauses.push(last);
      }
      block.count++;
      last.from = scan.lineToken[line]!;
      last.to = scan.lineToken[line + 1]!;
      last.leading = pending.length > 0 ? pending : undefined;
      last.trailing = comment;
      if (pending.length > 0) pending = [];
    }
    float();
    const own = outer < 0 ? floating : floating.slice(0, outer);
    const document = outer < 0 ? [] : floating.slice(outer);
    if (own.length > 0) block.dangling = own;
    if (document.length > 0) this.dangling = document;
    return block;
  }
}
