/** Where one stream of requests stands: which session it has opened, and which slot it was shown. */

export interface StreamState {
  sessionId: string | null;
  /** The session is open until `finalize`. */
  open: boolean;
  /** Ordinal of the slot last shown to this stream. */
  shown: number | null;
}

export function newStream(): StreamState {
  return { sessionId: null, open: false, shown: null };
}

/** The state as one header value. */
export function streamText({ sessionId, open, shown }: StreamState): string {
  return sessionId === null ? '-' : `${sessionId};${open ? 'open' : 'closed'};${shown ?? '-'}`;
}

/** @returns undefined where the text is no stream's */
export function streamOf(text: string): StreamState | undefined {
  if (text === '-') return newStream();
  const parts = /^(s-[0-9a-f]{32});(open|closed);(-|[1-9][0-9]{0,14})$/.exec(text);
  if (parts === null) return undefined;
  return { sessionId: parts[1]!, open: parts[2] === 'open', shown: parts[3] === '-' ? null : Number(parts[3]) };
}
