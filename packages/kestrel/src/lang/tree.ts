// The lossless tree: every character of the text as a leaf, nested in the nodes of the model that was read from it.
import type { Parsed } from './parse.ts';
import { BAD, CLOCK, DATE, MONTH, NUMBER, PUNCT, scan, WORD } from './scan.ts';

export type LeafKind = 'word' | 'number' | 'date' | 'month' | 'clock' | 'sign' | 'bad' | 'comment' | 'space';

export interface TreeLeaf {
  readonly leaf: LeafKind;
  readonly start: number;
  readonly end: number;
}

export interface TreeNode {
  /** Kind of the model's node: `plan`, `do`, `ticket`, `compare` … */
  readonly node: string;
  readonly start: number;
  readonly end: number;
  readonly children: readonly (TreeNode | TreeLeaf)[];
  /** The model's own object; absent where the text did not give one. */
  readonly of?: object;
}

interface OpenNode {
  readonly node: string;
  readonly start: number;
  readonly end: number;
  readonly children: (TreeNode | TreeLeaf)[];
  readonly of: object;
}

/** The tree of a parse; `treeText` gives the source back. It is built when asked for: a parse pays nothing for it. */
export function treeOf(parsed: Parsed): TreeNode {
  const { text, document } = parsed;
  const nodes = [...parsed.spans.entries()].filter((entry) => entry.node !== document && entry.end > entry.start);
  // Outer nodes first; of two with one span, the one that the parser finished last is the outer one.
  const order = nodes.map((_, k) => k);
  order.sort((a, b) => nodes[a]!.start - nodes[b]!.start || nodes[b]!.end - nodes[a]!.end || b - a);
  const root: OpenNode = { node: 'document', start: 0, end: text.length, children: [], of: document };
  const stack: OpenNode[] = [root];
  let next = 0;
  for (const leaf of leavesOf(text)) {
    while (stack.length > 1 && stack[stack.length - 1]!.end <= leaf.start) stack.pop();
    for (; next < order.length && nodes[order[next]!]!.start <= leaf.start; next++) {
      const { node, start, end } = nodes[order[next]!]!;
      if (start !== leaf.start || end > stack[stack.length - 1]!.end) continue;
      const open: OpenNode = { node: nodeKind(node), start, end, children: [], of: node };
      stack[stack.length - 1]!.children.push(open);
      stack.push(open);
    }
    stack[stack.length - 1]!.children.push(leaf);
  }
  return root;
}

/** The text of a tree: that of its leaves, in order. */
export function treeText(tree: TreeNode, source: string): string {
  const pieces: string[] = [];
  const walk = (node: TreeNode): void => {
    for (const child of node.children) {
      if ('leaf' in child) pieces.push(source.slice(child.start, child.end));
      else walk(child);
    }
  };
  walk(tree);
  return pieces.join('');
}

/** Tokens, comments and the space between them, without a gap. */
export function* leavesOf(text: string): IterableIterator<TreeLeaf> {
  const tokens = scan(text);
  let at = 0;
  let line = 0;
  for (let k = 0; k <= tokens.count; k++) {
    const start = k < tokens.count ? tokens.start[k]! : text.length;
    for (; line < tokens.lineCount && tokens.lineComment[line]! < start; line++) {
      const from = tokens.lineComment[line]!;
      if (from < 0) continue;
      if (from > at) yield { leaf: 'space', start: at, end: from };
      at = tokens.lineCommentEnd[line]!;
      yield { leaf: 'comment', start: from, end: at };
    }
    if (start > at) yield { leaf: 'space', start: at, end: start };
    if (k === tokens.count) return;
    at = tokens.end[k]!;
    yield { leaf: leafKind(tokens.kind[k]!), start, end: at };
  }
}

function leafKind(kind: number): LeafKind {
  switch (kind) {
    case WORD:
      return 'word';
    case NUMBER:
      return 'number';
    case DATE:
      return 'date';
    case MONTH:
      return 'month';
    case CLOCK:
      return 'clock';
    case PUNCT:
      return 'sign';
    case BAD:
      return 'bad';
    default:
      return 'bad';
  }
}

/** Nodes without a `kind` are told by the field that only they have. */
const kindless: readonly (readonly [string, string])[] = [
  ['side', 'ticket'],
  ['expr', 'price'],
  ['word', 'pane'],
  ['coverage', 'book'],
  ['signal', 'using'],
  ['key', 'tag'],
  ['sign', 'step'],
  ['e4', 'offset'],
  ['n', 'duration'],
];

function nodeKind(node: object): string {
  const { kind } = node as { readonly kind?: unknown };
  if (typeof kind === 'string') return kind;
  return kindless.find(([field]) => Object.hasOwn(node, field))?.[1] ?? 'node';
}
