/** Laws that hold of any engine: how a case may be changed, and what then may not change. */
import type { KestrelDocument } from '../../src/lang/model.ts';
import { type Case, generate } from './generate.ts';
import { OPEN } from './generate-tape.ts';
import { PRICE_SERIES } from './trigger.ts';

/** Whoever plays a case; only what the laws look at. */
export type Player = (
  one: Case,
  document: KestrelDocument,
) => readonly {
  readonly name: string;
  readonly reason: string | null;
  readonly realizedE4: number;
  readonly openQty: number;
  readonly fills: readonly {
    readonly t: number;
    readonly side: string;
    readonly qty: number;
    readonly priceE4: number;
    readonly cause: string;
  }[];
}[];

type Row = Record<string, unknown> & { readonly t: number };

const rowsOf = (one: Case): { readonly header: Record<string, unknown>; readonly rows: readonly Row[] } => ({
  header: JSON.parse(one.lines[0]!),
  rows: one.lines.slice(1).map((line) => JSON.parse(line)),
});
const linesOf = (header: object, rows: readonly object[]): string[] =>
  [header, ...rows].map((row) => JSON.stringify(row));

/** All times later by `us`, the session too. Only for documents that name no clock. */
export function shifted(one: Case, us: number): Case {
  const { header, rows } = rowsOf(one);
  const { open, close } = header.session as { open: number; close: number };
  return {
    ...one,
    lines: linesOf(
      { ...header, session: { open: open + us, close: close + us } },
      rows.map((row) => ({ ...row, t: row.t + us })),
    ),
  };
}

const PRICE_FIELDS = ['b', 'a', 'p', 'o', 'h', 'l', 'c'];
const times = (value: unknown, k: number): number => Math.round((value as number) * k * 1e4) / 1e4;

/** Prices, ticks and the risk unit times k; the document goes with {@link scaledDocument}. */
export function scaled(one: Case, k: number): Case {
  const { header, rows } = rowsOf(one);
  const instruments = header.instruments as { tick: number }[];
  const reference = header.reference as Record<string, { priorClose: number }>;
  return {
    ...one,
    rUsd: one.rUsd * k,
    lines: linesOf(
      {
        ...header,
        instruments: instruments.map((each) => ({ ...each, tick: times(each.tick, k) })),
        reference: Object.fromEntries(
          Object.entries(reference).map(([symbol, entry]) => [
            symbol,
            { ...entry, priorClose: times(entry.priorClose, k) },
          ]),
        ),
      },
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [key, PRICE_FIELDS.includes(key) ? times(value, k) : value]),
        ),
      ),
    ),
  };
}

/** Levels, cents and money of a document times k; what is measured in basis points, R or shares stays. */
export function scaledDocument(document: KestrelDocument, k: number): KestrelDocument {
  return scaledNode(document, k) as KestrelDocument;
}

type Node = Readonly<Record<string, unknown>>;

function scaledNode(node: unknown, k: number): unknown {
  if (Array.isArray(node)) return node.map((child) => scaledNode(child, k));
  if (typeof node !== 'object' || node === null) return node;
  const of = node as Node;
  if (of.kind === 'compare' || of.kind === 'crosses') {
    const [left, right] = [of.left as Node, of.right as Node];
    return { ...of, left: scaledOperand(left, right, k), right: scaledOperand(right, left, k) };
  }
  if (of.kind === 'number' || of.unit === 'c' || of.unit === '$') return { ...of, e4: (of.e4 as number) * k };
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, scaledNode(value, k)]));
}

/** A literal in a trigger is a price only beside one. */
function scaledOperand(operand: Node, beside: Node, k: number): unknown {
  if (operand.kind !== 'number') return scaledNode(operand, k);
  const price = beside.kind === 'series' && PRICE_SERIES.has(beside.name as string);
  return price ? { ...operand, e4: (operand.e4 as number) * k } : operand;
}

/** The first `count` events alone. */
export function cut(one: Case, count: number): Case {
  return { ...one, lines: one.lines.slice(0, count + 1) };
}

/** With a symbol more, of which the document says nothing, whose events stand among the others. */
export function joined(one: Case, seed: number): Case {
  const { header, rows } = rowsOf(one);
  const stranger = rowsOf(generate(seed)).rows.filter((row) => row.s === 'AAA');
  const all = [
    ...rows.map((row, i) => ({ row, at: i })),
    ...stranger.map((row) => ({ row: { ...row, s: 'ZZZ' }, at: -1 })),
  ];
  all.sort((a, b) => a.row.t - b.row.t);
  const instruments = [...(header.instruments as object[]), { symbol: 'ZZZ', kind: 'equity', tick: 0.01 }];
  return {
    ...one,
    lines: linesOf(
      { ...header, instruments },
      all.map((each) => each.row),
    ),
  };
}

/** Whether the document names the clock of the wall, which a shift would leave behind. */
export const namesClock = (one: Case): boolean => /\d\d:\d\d/.test(one.text);

/** Last instant of the events that a cut keeps. */
export function lastInstant(one: Case, count: number): number {
  const row = one.lines[count];
  return row === undefined || count === 0 ? OPEN : (JSON.parse(row) as Row).t;
}
