/** Subjects to terms: what a session of a catalog entry or a dataset is pinned to, now and when it is opened again. */
import { EngineRefusal, feeSchedule } from '../engine/index.ts';
import { validate } from '../lang/index.ts';
import type { Tape } from '../market/index.ts';
import {
  BUNDLED_IDENTITIES,
  CATALOG,
  type CatalogEntry,
  judgingOf,
  recipeOf,
  type Terms,
  termsOfRecipe,
} from '../session/index.ts';

import type { DatasetEntry, Store } from '../store/index.ts';
import { nearestName } from './nearest-name.ts';
import { AgentRefusal } from './refusal.ts';
import { BUNDLED_NAMES, bundledTape, catalogTape, registeredTape } from './tapes.ts';

/** What the pins are hashes of, kept with the session so that it can be opened again. */
export interface Given {
  readonly document: string | null;
  readonly checkpoints: readonly string[];
}

/** Names that a refusal lists. */
const NAMES_MAX = 40;

export const entries: readonly CatalogEntry[] = CATALOG;

/** Longest market time that authoring may take, ms. */
export const THINK_MS_MAX = 3_600_000;

/** Values of a dataset that names none of its own. */
export const DATASET_DEFAULTS = {
  fill: 'strict-cross-v1',
  fees: 'none',
  rUsdE4: 1_000_000,
  thinkMs: 0,
  checkpoints: [],
} as const;

/**
 * @param document stands in the recipe's place on a managed server
 * @throws AgentRefusal `unknown-subject`
 */
export function catalogTerms(id: string, store: () => Store | undefined, document?: string): Terms {
  const recipe = recipeOf(id);
  const entry = entries.find((row) => row.id === id);
  if (recipe === undefined || entry === undefined) {
    throw new AgentRefusal(
      'unknown-subject',
      unknown(
        'catalog entry',
        id,
        entries.map((row) => row.id),
      ),
      {
        path: 'subject.id',
        expected: entries.map((row) => row.id).join(' | '),
        got: id,
      },
    );
  }
  const terms = termsOfRecipe(recipe, catalogTape(recipe, entry.pins.tape, store));
  if (document === undefined) return terms;
  checkDocument(document, { path: 'document', tape: terms.tape, rUsdE4: terms.rUsdE4 });
  return { ...terms, document };
}

/** @throws AgentRefusal `bad-arg` with the document's first error */
function checkDocument(
  text: string,
  of: { readonly path: string; readonly tape: Tape; readonly rUsdE4: number },
): void {
  const { diagnostics } = validate(text, { imports: 'refuse', ...judgingOf(of.tape), rUsdE4: of.rUsdE4 });
  const first = diagnostics.find((d) => d.severity === 'error');
  if (first === undefined) return;
  throw new AgentRefusal('bad-arg', `${of.path} has an error: line ${first.span.line}: ${first.message}`, {
    path: of.path,
    expected: 'a document without an error',
    got: `${first.code} line ${first.span.line}: ${first.message}`,
  });
}

/** @throws AgentRefusal `unknown-dataset`; `bad-arg` on a source with an error, with its first diagnostic, and on fees of another time */
export function datasetTerms(dataset: string, source: string, store: () => Store): Terms {
  const entry = datasetEntry(dataset, store);
  if (entry === undefined) {
    const names = [...store().datasets(), ...BUNDLED_NAMES];
    throw new AgentRefusal('unknown-dataset', unknown('dataset', dataset, names), {
      path: 'subject.dataset',
      expected: listed(names),
      got: dataset,
    });
  }
  const tape = tapeOf(entry, store);
  checkFees(entry.fees, tape);
  checkDocument(source, { path: 'subject.source', tape, rUsdE4: entry.rUsdE4 });
  const { fill, fees, rUsdE4, thinkMs, checkpoints } = entry;
  return { tape, fill, fees, rUsdE4, thinkMs, checkpoints, document: source, subject: null, blinded: false };
}

/** The source is not at fault where the dataset's own schedule does not know its day. */
function checkFees(fees: string, tape: Tape): void {
  try {
    feeSchedule(fees, tape.date);
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    throw new AgentRefusal('bad-arg', error.message, {
      path: 'subject.fees',
      expected: error.expected ?? 'a schedule that knows the day of the tape',
      got: error.got ?? fees,
    });
  }
}

function datasetEntry(name: string, store: () => Store): DatasetEntry | undefined {
  const identity = BUNDLED_IDENTITIES[name];
  if (identity !== undefined) return { name, tape: identity, ...DATASET_DEFAULTS };
  return store().dataset(name);
}

function tapeOf(entry: DatasetEntry, store: () => Store) {
  const tape = bundledTape(entry.name, entry.tape, store) ?? registeredTape(entry.tape, store());
  if (tape !== undefined) return tape;
  throw new AgentRefusal('unavailable', `the tape of the dataset ${entry.name} is not in the store any more`, {
    expected: entry.tape,
    next: 'add the dataset again',
  } as object);
}

/** The day of any subject by its identity. @returns undefined where neither the catalog nor the store knows it */
export function tapeByIdentity(identity: string, store: () => Store): Tape | undefined {
  const entry = entries.find(({ pins }) => pins.tape === identity);
  const recipe = entry === undefined ? undefined : recipeOf(entry.id);
  if (recipe !== undefined) return catalogTape(recipe, identity, store);
  const bundled = BUNDLED_NAMES.find((name) => BUNDLED_IDENTITIES[name] === identity);
  return bundled === undefined ? registeredTape(identity, store()) : bundledTape(bundled, identity, store);
}

/** What a subject's tape is known by; undefined where there is no such subject. */
export function identityBehind(
  subject: { readonly kind: 'catalog'; readonly id: string } | { readonly kind: 'dataset'; readonly dataset: string },
  store: () => Store,
): string | undefined {
  if (subject.kind === 'dataset') return datasetEntry(subject.dataset, store)?.tape;
  return entries.find(({ id }) => id === subject.id)?.pins.tape;
}

/** The terms of pins that were opened before. @returns undefined where their tape cannot be found */
export function termsOfPins(
  pins: {
    readonly tape: string;
    readonly fill: string;
    readonly fees: string;
    readonly rUsdE4: number;
    readonly thinkMs: number | null;
    readonly subject: string | null;
  },
  given: Given,
  store: () => Store | undefined,
): Terms | undefined {
  const document = given.document === null ? {} : { document: given.document };
  if (pins.subject !== null) {
    const entry = entries.find((row) => row.id === pins.subject);
    const recipe = recipeOf(pins.subject);
    if (entry === undefined || recipe === undefined || entry.pins.tape !== pins.tape) return undefined;
    const { document: _strategy, ...terms } = termsOfRecipe(recipe, catalogTape(recipe, pins.tape, store));
    return { ...terms, ...document };
  }
  const bundled = Object.entries(BUNDLED_IDENTITIES).find(([, identity]) => identity === pins.tape)?.[0];
  const kept = store();
  const tape =
    bundled !== undefined
      ? bundledTape(bundled, pins.tape, store)
      : kept === undefined
        ? undefined
        : registeredTape(pins.tape, kept);
  if (tape === undefined) return undefined;
  return {
    tape,
    fill: pins.fill,
    fees: pins.fees,
    rUsdE4: pins.rUsdE4,
    thinkMs: pins.thinkMs ?? 0,
    checkpoints: given.checkpoints,
    subject: null,
    blinded: false,
    ...document,
  };
}

/** Names as a refusal lists them: a store may hold more of them than a line should. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(' | ');
  return names.length <= NAMES_MAX ? shown : `${shown} | … (${names.length - NAMES_MAX} more)`;
}

export function unknown(what: string, name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return `there is no ${what} ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '' : `; the nearest is ${near}`}`;
}
