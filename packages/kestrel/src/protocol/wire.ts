/** The envelope of `kestrel.agent/v1`: one JSON object a line, in and out. */

export const PROTOCOL = 'kestrel.agent/v1';

/** Longest request line, in bytes of UTF-8 without its end. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024;

/** One response line, without its LF. @param valueText the value as canonical JSON */
export function responseLine(kind: string, valueText: string): string {
  return `{"v":"${PROTOCOL}","kind":"${kind}","value":${valueText}}`;
}
