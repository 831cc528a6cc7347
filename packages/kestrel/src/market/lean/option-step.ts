/** The step of a chain's prices, where nobody says it: read off the quotes of the day. */
import type { ColumnsBuilder } from '../build.ts';
import { Kind } from '../columns.ts';
import type { TapeHead } from '../header.ts';
import { FIRST_TICK_DATE, optionGrid } from '../option-ticks.ts';

/** A class steps by a nickel below 3.00 and a dime from there on, or by finer steps. */
const PIVOT_E4 = 30_000;
const [NICKEL_E4, DIME_E4, CENT_E4] = [500, 1_000, 100] as const;

/**
 * Roots to their step below 3.00, E4: a nickel where every price quoted stands on nickels and dimes, which is a price of
 * finer grids too; else a cent. A root without quotes has the step of its class.
 */
export function stepsOf(rows: ColumnsBuilder, { instruments, date }: TapeHead): ReadonlyMap<string, number> {
  const steps = new Map<string, number>();
  const rootOf = instruments.map((each) => (each.kind === 'option' ? each.root : ''));
  const fine = new Set<string>();
  const quoted = new Set<string>();
  for (let i = 0; i < rows.rows; i++) {
    if (rows.kind[i] !== Kind.oquote) continue;
    const root = rootOf[rows.inst[i]!]!;
    quoted.add(root);
    if (!fine.has(root) && !(isCoarse(rows.a[i]!) && isCoarse(rows.c[i]!))) fine.add(root);
  }
  for (const root of new Set(rootOf)) {
    if (root === '') continue;
    steps.set(root, quoted.has(root) ? (fine.has(root) ? CENT_E4 : NICKEL_E4) : stepOfClass(root, date));
  }
  return steps;
}

/** An absent side speaks for no step. */
function isCoarse(priceE4: number): boolean {
  return priceE4 <= 0 || priceE4 % (priceE4 < PIVOT_E4 ? NICKEL_E4 : DIME_E4) === 0;
}

function stepOfClass(root: string, date: string): number {
  return date < FIRST_TICK_DATE ? CENT_E4 : optionGrid({ root, date, complex: false }).lowE4;
}
