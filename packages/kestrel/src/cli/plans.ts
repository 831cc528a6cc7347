/** The documents of a run: each read, linked with its imports and judged by this day; one error refuses the run. */
import { definitions, type KestrelDocument, type LinkedDocument, link, parse } from '../lang/index.ts';
import type { Tape } from '../market/index.ts';
import { judgingOf } from '../session/index.ts';
import { readDocument, refusedDocument, tellDiagnostics } from './document.ts';
import { importsBeside } from './imports.ts';
import type { Source, Streams } from './streams.ts';

export interface DocumentText {
  readonly source: Source;
  readonly text: string;
}

export interface JudgedPlans {
  /** What each document says together with its imports. */
  readonly documents: readonly KestrelDocument[];
  /** Every document read, imports before their importer: what the pin covers. */
  readonly sources: readonly KestrelDocument[];
}

export interface Circumstances {
  readonly tape: Tape;
  /** What 1R is, in 1e-4 of the currency. */
  readonly rUsdE4: number;
  readonly form: 'text' | 'json';
}

export const readDocuments = (sources: readonly Source[], streams: Streams): DocumentText[] =>
  sources.map((source) => ({ source, text: readDocument(source, streams) }));

/** @throws Failure `document-refused`, with every diagnostic */
export function judgedPlans(texts: readonly DocumentText[], given: Circumstances, streams: Streams): JudgedPlans {
  const defined = texts.map(({ text }) => definitions(parse(text).document));
  const documents: KestrelDocument[] = [];
  const sources: LinkedDocument[] = [];
  for (const [i, { source, text }] of texts.entries()) {
    const linked = link(text, {
      ...importsBeside(source, streams),
      ...judgingOf(given.tape),
      rUsdE4: given.rUsdE4,
      known: namesOf(defined.filter((_, j) => j !== i)),
    });
    // For programs the refusal itself holds them, so that stderr is one object.
    if (given.form === 'text') tellDiagnostics(source, linked.diagnostics, streams);
    if (!linked.ok) throw refusedDocument(source, linked.diagnostics);
    // Alone, a document stands as it was written; with imports, as what all of them say together.
    documents.push(linked.documents.length === 1 ? linked.parsed.document : linked.document);
    sources.push(...linked.documents);
  }
  return { documents, sources: sources.map(({ document }) => document) };
}

/** What the other documents of the run define may be named: they share one session. */
function namesOf(
  others: readonly ReturnType<typeof definitions>[],
): Record<'plan' | 'wake' | 'view' | 'pod' | 'book', Set<string>> {
  const names = {
    plan: new Set<string>(),
    wake: new Set<string>(),
    view: new Set<string>(),
    pod: new Set<string>(),
    book: new Set<string>(),
  };
  for (const other of others) for (const [name, kind] of other) names[kind].add(name);
  return names;
}
