/** How benchmarks time: interleaved rounds and their median, since these figures are read on noisy machines. */

/** @returns the middle of the values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs every job once a round, round after round, so that a slow minute slows all of them alike.
 *
 * @param {Record<string, () => unknown>} jobs
 * @returns {Promise<Record<string, number>>} median milliseconds by job
 */
export async function interleaved(jobs, { rounds = 15, warmups = 2 } = {}) {
  const times = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      const begun = performance.now();
      await job();
      if (round >= 0) times[name].push(performance.now() - begun);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}
