// The bounds of a document: beyond each stands a coded refusal, never a hang or an overflow.

/** Bytes of UTF-8 in one document (256 KiB). */
export const documentBytesMax = 256 * 1024;
/** Statements in one document. */
export const statementsMax = 4_096;
/** Levels of parentheses in one clause. */
export const parensMax = 64;
/** Largest literal, in whole units of whatever it counts. */
export const numberMax = 1_000_000_000;
/** Decimals of a literal. */
export const decimalsMax = 4;
/** Longest duration a document may name, in seconds (seven days). */
export const durationSMax = 7 * 86_400;
/** Largest count a series or pane takes (bars, rows, strikes). */
export const countMax = 10_000;
/** Characters of a word that are compared when a nearest word is looked for. */
export const nearestCharsMax = 32;
/** Documents that one import graph may hold. */
export const importsMax = 64;
/** Problems that one document is told of; beyond them it is refused as it stands. */
export const diagnosticsMax = 4_096;
