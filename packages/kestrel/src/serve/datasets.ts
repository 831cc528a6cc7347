/** Datasets that are put by name: the tape of a body, checked, kept under its identity and registered. */
import { jcs } from 'ground/jcs';
import type { Context } from 'hono';
import { parseTape, unpack } from '../market/index.ts';
import { AgentRefusal, DATASET_DEFAULTS, gotOf, type Host, refusalOf } from '../protocol/index.ts';
import { DATASET_NAME } from '../store/index.ts';
import { bytesOf } from './body.ts';
import { refused } from './replies.ts';

/** Bytes of a tape that is put, as sent and unpacked. */
export const DATASET_BYTES_MAX = 64 * 1024 * 1024;

/** Registers the tape of the body under the name. */
export async function putDataset(c: Context, host: Host, name: string): Promise<Response> {
  try {
    return await put(c, host, name);
  } catch (error) {
    return refused(c, refusalOfTape(error), { op: null });
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
  const bytes = await bytesOf(c, DATASET_BYTES_MAX);
  const text = unpack(bytes);
  if (text.length > DATASET_BYTES_MAX * 8) throw new AgentRefusal('too-large', 'the unpacked tape is too large');
  const { tape } = parseTape(text);
  if (host.store().dataset(name) === undefined) {
    const payment = host.gate('datasets');
    if (payment !== undefined) return c.json({ gated: true, payment }, 402);
  }
  const entry = { name, tape: tape.identity, ...DATASET_DEFAULTS, ...optionsIn(c) };
  host.store().addDataset(entry, text);
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
      case 'thinkMs':
        out[key] = /^[1-9][0-9]{0,14}$/.test(value) ? Number(value) : refuse(key, 'a whole number above 0');
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

/** What a tape is refused for is the client's to mend. */
function refusalOfTape(error: unknown): AgentRefusal {
  if (error instanceof Error && error.name === 'TapeRefusal') {
    const { expected, got } = error as unknown as { expected: string; got: string };
    return new AgentRefusal('bad-arg', error.message, { path: 'body', expected, got });
  }
  return refusalOf(error);
}
