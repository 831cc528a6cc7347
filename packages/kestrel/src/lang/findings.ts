// Findings: diagnostics as the semantic pass gathers them, each over a node or a named part of one.
import { codes } from './codes.ts';
import { diagnosticsMax } from './limits.ts';
import type { Diagnostic, Span } from './model.ts';
import { nearest, nearestOfAll } from './nearest.ts';
import type { SpanOf } from './spans.ts';

/** Where a node without text stands: an object built in code. */
const nowhere: Span = { start: 0, end: 0, line: 1, column: 1 };

export interface Finding {
  readonly code: string;
  readonly node: object;
  /** The part of the node that is at fault; absent: all of it. */
  readonly part?: string;
  readonly message: string;
  readonly expected?: readonly string[] | undefined;
  readonly hint?: string | undefined;
}

export class Findings {
  readonly diagnostics: Diagnostic[] = [];
  readonly #spanOf: SpanOf;

  constructor(spanOf: SpanOf) {
    this.#spanOf = spanOf;
  }

  add(finding: Finding): void {
    if (this.diagnostics.length >= diagnosticsMax) return;
    const { code, node, part, message, expected, hint } = finding;
    this.diagnostics.push({
      code,
      severity: codes.get(code)?.severity ?? 'error',
      message,
      span: this.#spanOf(node, part) ?? nowhere,
      ...(expected === undefined ? {} : { expected }),
      ...(hint === undefined ? {} : { hint }),
    });
  }

  lineOf(node: object, part?: string): number {
    return (this.#spanOf(node, part) ?? nowhere).line;
  }
}

/** `did you mean …?` for the nearest known word, or nothing. */
export function meant(word: string, known: Iterable<string>): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/** As `meant`, but an unknown word is always told its nearest known one. */
export function nearestKnown(word: string, known: readonly string[]): string | undefined {
  const close = meant(word, known);
  if (close !== undefined) return close;
  const near = nearestOfAll(word, known);
  return near === undefined ? undefined : `the nearest known word is \`${near}\``;
}

/** Orders by start, then code. */
export function sortDiagnostics(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.sort(
    (a, b) =>
      a.span.start - b.span.start || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0) || a.span.end - b.span.end,
  );
}
