/** Types of clock.mjs, for the tests. */
export function median(values: readonly number[]): number;
export function interleaved(
  jobs: Readonly<Record<string, () => unknown>>,
  options?: { readonly rounds?: number; readonly warmups?: number },
): Promise<Record<string, number>>;
