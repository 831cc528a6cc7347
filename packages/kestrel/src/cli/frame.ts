/** `kestrel frame`: a frame as people and models read it. */
import { jcs } from 'ground/jcs';
import { parse, type View, validate } from '../lang/index.ts';
import { eventsOf, OPS_BY_NAME, readJson } from '../protocol/index.ts';
import { FRAME_FORMS, type Frame, isFrameShape, renderFrame } from '../session/index.ts';
import type { Arguments } from './arguments.ts';
import { readDocument, refusedDocument } from './document.ts';
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
  const answer = value?.value as Record<string, Record<string, unknown>> | undefined;
  const candidates = [value, value?.frame, answer?.frame, answer?.delivery?.frame];
  const found = candidates.find((candidate) => isFrameShape(candidate));
  const faults = found === undefined ? undefined : OPS_BY_NAME.start.emits.shape.frame.safeParse(found).error?.issues;
  if (found !== undefined && faults === undefined) return found;
  const where = faults?.[0]?.path.join('.');
  throw new Failure({
    code: 'no-frame',
    message: where === undefined ? 'the file holds no frame' : `the file holds no frame: ${where} has another shape`,
    expected: 'a frame (kestrel.frame/v1), a delivery or a response line, as JSON',
    got: path,
  });
}

function viewOf(path: string, streams: Streams): View {
  const text = readDocument(path, streams);
  const { ok, diagnostics } = validate(text, { imports: 'refuse' });
  if (!ok) throw refusedDocument(path, diagnostics);
  const view = parse(text).document.statements.find((s): s is View => s.kind === 'view');
  if (view !== undefined) return view;
  throw new Failure({ code: 'no-view', message: 'the document has no VIEW', expected: 'VIEW name pane …', got: path });
}
