/** `kestrel frame`: a frame as people and models read it. */
import { jcs } from 'ground/jcs';
import { parse, type View } from '../lang/index.ts';
import { eventsOf, readJson } from '../protocol/index.ts';
import { FRAME_FORMS, type Frame, isFrameShape, renderFrame } from '../session/index.ts';
import type { Arguments } from './arguments.ts';
import { readDocument } from './document.ts';
import { EXITS } from './exits.ts';
import { Failure } from './failure.ts';
import { openStore } from './home.ts';
import { logOf } from './sessions.ts';
import type { Streams } from './streams.ts';

const FRAME_BYTES_MAX = 1 << 26;

export async function frame({ operands, values }: Arguments, streams: Streams): Promise<number> {
  const [subject = ''] = operands;
  const one = (flag: string): string | undefined => values.get(flag)?.[0];
  const shown = /^s-[0-9a-f]{32}$/.test(subject)
    ? frameOfSession(subject, one('slot'), streams)
    : frameOfFile(subject, streams);
  const format = one('format') ?? 'text';
  if (format === 'json') {
    streams.write(`${jcs(shown)}\n`);
    return EXITS.ok;
  }
  const view = one('view') === undefined ? undefined : viewOf(one('view')!, streams);
  const form = FRAME_FORMS.find((name) => name === format) ?? 'text';
  if (view?.tokens === undefined) streams.write(renderFrame(shown, { form, ...(view === undefined ? {} : { view }) }));
  else {
    const { tokensOf } = await import('./token-count.ts');
    streams.write(renderFrame(shown, { form, view, count: tokensOf }));
  }
  return EXITS.ok;
}

function frameOfSession(id: string, slot: string | undefined, streams: Streams): Frame {
  const frames = eventsOf(logOf(id, openStore(streams.env))).flatMap((event) =>
    event.kind === 'session/frame' ? [event.value] : [],
  );
  const found = slot === undefined ? frames.at(-1) : frames.find((d) => String(d.slot.ordinal) === slot);
  if (found !== undefined) return found.frame;
  throw new Failure({
    code: 'unknown-slot',
    message: frames.length === 0 ? 'the session has not been started' : `the session has no slot ${slot}`,
    expected: `a slot from 1 to ${frames.length}`,
  });
}

function frameOfFile(path: string, streams: Streams): Frame {
  const { bytes, cut } = streams.read(path, FRAME_BYTES_MAX);
  const value = cut ? undefined : (readJson(bytes) as Record<string, unknown> | undefined);
  for (const candidate of [value, value?.frame, (value?.value as Record<string, unknown> | undefined)?.frame]) {
    if (isFrameShape(candidate)) return candidate;
  }
  throw new Failure({
    code: 'no-frame',
    message: 'the file holds no frame',
    expected: 'a frame (kestrel.frame/v1) or a delivery, as JSON',
    got: path,
  });
}

function viewOf(path: string, streams: Streams): View {
  const view = parse(readDocument(path, streams)).document.statements.find((s): s is View => s.kind === 'view');
  if (view !== undefined) return view;
  throw new Failure({ code: 'no-view', message: 'the document has no VIEW', expected: 'VIEW name pane …', got: path });
}
