/** Tapes by what names them: a catalog recipe, a bundled day, a registered dataset. Made or parsed once, then kept. */
import { decodeCache, encodeCache, parseTape, type Tape } from '../market/index.ts';
import { BUNDLED_DAYS, bundledDay } from '../market/synth/index.ts';
import { type Day, dayOf, type Recipe, rememberDay, tapeOfRecipe } from '../session/index.ts';
import type { Store } from '../store/index.ts';

/** Tapes kept in memory, and rows of all of them; the one unused longest goes first. */
export const TAPES_KEPT_MAX = 32;
export const ROWS_KEPT_MAX = 16_000_000;

/** Name of a subject's day that comes with the product. */
const BUNDLED = 'bundled:';

const kept = new Map<string, Tape>();

function keep(key: string, tape: Tape): Tape {
  kept.delete(key);
  kept.set(key, tape);
  let rows = 0;
  for (const { columns } of kept.values()) rows += columns.length;
  for (const [other, { columns }] of kept) {
    if (other === key || (kept.size <= TAPES_KEPT_MAX && rows <= ROWS_KEPT_MAX)) break;
    kept.delete(other);
    rows -= columns.length;
  }
  return tape;
}

export function isTapeKept(identity: string): boolean {
  return kept.has(identity);
}

/** Takes in the columns of a tape as {@link columnsOf} gave them, and what frames show of it. */
export function keepColumns(identity: string, columns: Uint8Array, day: Day): void {
  const tape = decodeCache(columns, identity, 'verified')?.tape;
  if (tape === undefined) throw new Error(`the columns of ${identity} are not what was encoded`);
  rememberDay(tape, day);
  keep(identity, tape);
}

/** A tape as bytes that can be handed to another thread; it is not kept here. */
export function columnsOf(tape: Tape): { readonly columns: Uint8Array; readonly day: Day } {
  kept.delete(tape.identity);
  return { columns: encodeCache({ tape, skipped: [] }, tape.identity), day: dayOf(tape) };
}

/**
 * The day of a recipe.
 * @throws Error where the recipe no longer makes the day that the catalog pins: that is a fault of ours
 */
export function catalogTape(recipe: Recipe, identity: string, store: () => Store | undefined): Tape {
  return made(identity, store, () => tapeOfRecipe(recipe));
}

/** @returns undefined where no bundled day has the name */
export function bundledTape(name: string, identity: string, store: () => Store | undefined): Tape | undefined {
  if (!name.startsWith(BUNDLED) || !BUNDLED_DAYS.has(name.slice(BUNDLED.length))) return undefined;
  return made(identity, store, () => bundledDay(name.slice(BUNDLED.length)));
}

export const BUNDLED_NAMES: readonly string[] = [...BUNDLED_DAYS.keys()].map((name) => `${BUNDLED}${name}`);

function made(identity: string, store: () => Store | undefined, make: () => Tape): Tape {
  const known = kept.get(identity);
  if (known !== undefined) return keep(identity, known);
  const name = `${identity}.kcols`;
  const from = readCached(store(), name, identity);
  if (from !== undefined) return keep(identity, from);
  const tape = make();
  if (tape.identity !== identity) {
    throw new Error(`the recipe made the tape ${tape.identity}, and the catalog pins ${identity}`);
  }
  store()?.cache(name, encodeCache({ tape, skipped: [] }, identity));
  return keep(identity, tape);
}

/** A registered tape. @returns undefined where the store has none of that identity */
export function registeredTape(identity: string, store: Store): Tape | undefined {
  const known = kept.get(identity);
  if (known !== undefined) return keep(identity, known);
  const name = `${identity}.kcols`;
  const from = readCached(store, name, identity);
  if (from !== undefined) return keep(identity, from);
  const bytes = store.tape(identity);
  if (bytes === undefined) return undefined;
  const { tape } = parseTape(bytes);
  if (tape.identity !== identity) return undefined;
  store.cache(name, encodeCache({ tape, skipped: [] }, identity));
  return keep(identity, tape);
}

function readCached(store: Store | undefined, name: string, identity: string): Tape | undefined {
  const bytes = store?.cached(name);
  if (bytes === undefined) return undefined;
  try {
    // Columns are views of the bytes, so these must begin their own buffer.
    const tape = decodeCache(bytes.byteOffset === 0 ? bytes : bytes.slice(), identity)?.tape;
    return tape?.identity === identity ? tape : undefined;
  } catch {
    return undefined;
  }
}
