/** Runs what is sliced a slice at a time, so that a long day holds nobody else up. */
import type { Sliced } from '../session/index.ts';

export async function drive<T>(sliced: Sliced<T>): Promise<T> {
  for (;;) {
    const step = sliced.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
