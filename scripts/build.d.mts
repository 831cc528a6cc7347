/** Types of build.mjs, for the tests. */
export function rewriteSpecifiers(text: string, groundPath: string): string;
