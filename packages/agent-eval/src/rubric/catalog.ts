/** The rubrics that a server knows by name, each with its identity. */
import { antiSlop } from './builtin/anti-slop.ts';
import { planDiscipline } from './builtin/plan-discipline.ts';
import { thesisHonesty } from './builtin/thesis-honesty.ts';
import { type RubricVersion, rubricVersion } from './identity.ts';
import type { Rubric } from './rubric.ts';

export interface CatalogEntry {
  readonly rubric: Rubric;
  readonly version: RubricVersion;
}

/** Hashed when someone asks, since most calls of a program's start do not. */
class Entry implements CatalogEntry {
  readonly rubric: Rubric;
  #version: RubricVersion | null = null;

  constructor(rubric: Rubric) {
    this.rubric = rubric;
  }

  get version(): RubricVersion {
    this.#version ??= rubricVersion(this.rubric);
    return this.#version;
  }
}

/** By name. A Map, so that `__proto__` and its kin are names like any other. */
export type RubricCatalog = ReadonlyMap<string, CatalogEntry>;

export const BUILTIN_RUBRICS: readonly Rubric[] = [antiSlop, planDiscipline, thesisHonesty];

/**
 * @param own rubrics beyond the built-in ones, already checked
 * @throws Error when two rubrics bear one name: neither may hide the other
 */
export function rubricCatalog(own: readonly Rubric[] = []): RubricCatalog {
  const catalog = new Map<string, CatalogEntry>();
  for (const rubric of [...BUILTIN_RUBRICS, ...own]) {
    if (catalog.has(rubric.name)) throw new Error(`two rubrics are named "${rubric.name}"; rename one of them`);
    catalog.set(rubric.name, new Entry(rubric));
  }
  return catalog;
}
