/** Numbers in [0, 1) that follow from a name alone, by the finishing steps of a 32-bit hash over a counter. */
export function roll(name: string): () => number {
  let state = 2_166_136_261;
  for (const char of name) state = Math.imul(state ^ char.codePointAt(0)!, 16_777_619);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
  };
}
