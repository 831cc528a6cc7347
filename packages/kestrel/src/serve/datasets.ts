/** Datasets that are put by name: the tape of a body, checked, kept under its identity and registered. */
import { jcs } from 'ground/jcs';
import type { Context } from 'hono';
import { AgentRefusal, DATASET_DEFAULTS, gotOf, type Host, TapesInPlace, THINK_MS_MAX } from '../protocol/index.ts';
import { DATASET_NAME } from '../store/index.ts';
import { bytesOf } from './body.ts';

/** Bytes of a tape that is put, as sent and unpacked. */
export const DATASET_BYTES_MAX = 64 * 1024 * 1024;

/** Bodies that are held at a time; more are told to come again. */
export const UPLOADS_MAX = 4;
/** Unpacked, a tape may be so many times as large. */
const UNPACKED_TIMES = 8;

let uploads = 0;

/** Registers the tape of the body under the name. */
export async function putDataset(c: Context, host: Host, name: string): Promise<Response> {
  if (uploads >= UPLOADS_MAX) throw new AgentRefusal('unavailable', 'too many tapes are being sent; come again');
  uploads++;
  try {
    return await put(c, host, name);
  } finally {
    uploads--;
  }
}

async function put(c: Context, host: Host, name: string): Promise<Response> {
  if (!DATASET_NAME.test(name)) {
    throw new AgentRefusal('bad-arg', 'that is no name of a dataset', {
      path: 'name',
      expected: DATASET_NAME.source,
      got: name,
    });
  }
  const options = optionsIn(c);
  const bytes = await bytesOf(c, DATASET_BYTES_MAX);
  const tapes = host.tapes ?? new TapesInPlace(host.store());
  const tape = await tapes.check(bytes, DATASET_BYTES_MAX * UNPACKED_TIMES);
  const entry = { name, tape: tape.identity, ...DATASET_DEFAULTS, ...options };
  const payment = host.store().dataset(name) === undefined ? host.gate('datasets') : undefined;
  if (payment !== undefined) {
    await tapes.drop(tape);
    return c.json({ gated: true, payment }, 402);
  }
  await tapes.store(tape, host.store().root, entry);
  return c.body(jcs(entry), 201, { 'content-type': 'application/json' });
}

/** Options of a dataset in the query: `fill`, `fees`, `rUsdE4`, `thinkMs`, `checkpoint` (several). */
function optionsIn(c: Context): Record<string, unknown> {
  const query = c.req.query();
  const out: Record<string, unknown> = {};
  const refuse = (path: string, expected: string): never => {
    throw new AgentRefusal('bad-arg', `${path} has another shape`, { path, expected, got: gotOf(query[path]) });
  };
  for (const key of Object.keys(query)) {
    const value = query[key]!;
    switch (key) {
      case 'fill':
        out.fill = /^(strict-cross-v1|maker-v1)$/.test(value) ? value : refuse(key, 'strict-cross-v1 | maker-v1');
        break;
      case 'fees':
        out.fees = /^(none|us-equity-v1|us-options-v1)$/.test(value)
          ? value
          : refuse(key, 'none | us-equity-v1 | us-options-v1');
        break;
      case 'rUsdE4':
        out.rUsdE4 = /^[1-9][0-9]{0,14}$/.test(value) ? Number(value) : refuse(key, 'a whole number above 0');
        break;
      case 'thinkMs':
        if (!/^[0-9]{1,7}$/.test(value) || Number(value) > THINK_MS_MAX) refuse(key, `0 to ${THINK_MS_MAX}`);
        out.thinkMs = Number(value);
        break;
      case 'checkpoint': {
        const clocks = c.req.queries('checkpoint') ?? [];
        if (clocks.some((clock) => !/^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(clock))) refuse(key, 'HH:MM');
        out.checkpoints = [...clocks].sort();
        break;
      }
      default:
        refuse(key, 'fill | fees | rUsdE4 | thinkMs | checkpoint');
    }
  }
  return out;
}
