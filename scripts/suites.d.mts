/** Types of suites.mjs, for the tests. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
export interface Suite {
  readonly name: string;
  readonly ready?: () => string | undefined | Promise<string | undefined>;
  readonly command: () => readonly string[];
  readonly parse: (ended: { readonly stdout: string; readonly report: string; readonly status: unknown }) => Counts;
}
export const suites: readonly Suite[];
export function countVitest(ended: { readonly report: string }): Counts;
