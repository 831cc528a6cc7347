/** `kestrel sessions`: what this store holds, and a way out for proofs. */
import { jcs } from 'ground/jcs';
import { eventsOf, type Log, Sessions, stateOf } from '../protocol/index.ts';
import type { SessionEvent } from '../session/index.ts';
import { realDisk, type Store, signProof } from '../store/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { Failure, oneLine } from './failure.ts';
import { writeWhole } from './files.ts';
import { openStore } from './home.ts';
import type { Streams } from './streams.ts';
import { notFinalized } from './verify.ts';

interface Row {
  readonly sessionId: string;
  readonly subject: string | null;
  readonly state: string;
  readonly turns: number;
  readonly events: number;
}

export function sessionsList({ values }: Arguments, streams: Streams): number {
  const store = openStore(streams.env);
  const rows = store.sessions().flatMap((id): Row[] => {
    const log = store.session(id);
    return log === undefined ? [] : [rowOf(log)];
  });
  if (values.has('json')) streams.write(`${jcs(rows)}\n`);
  else {
    if (rows.length === 0) streams.say('no sessions in this store yet: kestrel sessions play plays one\n');
    for (const { sessionId, subject, state, turns } of rows) {
      streams.write(`${sessionId}  ${state.padEnd(9)}  ${String(turns).padStart(4)} turns  ${subject ?? 'dataset'}\n`);
    }
  }
  return EXITS.ok;
}

function rowOf(log: Log): Row {
  const opened = log.find('open')!.events[0]!;
  return {
    sessionId: log.id,
    subject: opened.kind === 'session/opened' ? opened.value.pins.subject : null,
    state: stateOf(log),
    turns: log.keys.filter((key) => /^[0-9]+$/.test(key)).length,
    events: log.last,
  };
}

export function sessionsShow({ operands, values }: Arguments, streams: Streams): number {
  const log = logOf(operands[0]!, openStore(streams.env));
  for (const event of eventsOf(log)) {
    streams.write(`${values.has('json') ? jcs(event) : lineOf(event)}\n`);
  }
  return EXITS.ok;
}

function lineOf(event: SessionEvent): string {
  const head = `${String(event.sequence).padStart(4)}  ${event.t}  `;
  switch (event.kind) {
    case 'session/opened':
      return `${head}opened, genesis ${event.value.genesis}`;
    case 'session/frame':
      return `${head}slot ${event.value.slot.ordinal}: ${event.value.why}${event.value.wake === undefined ? '' : ` ${event.value.wake}`}, frame ${event.value.slot.frameRoot.slice(0, 12)}`;
    case 'session/turn': {
      const { ordinal, receipt } = event.value;
      const problems = receipt.diagnostics.map(({ code }) => code).join(' ');
      return `${head}turn ${ordinal}: ${receipt.verdict} ${receipt.plans.join(' ')}${problems === '' ? '' : ` [${problems}]`}`;
    }
    case 'session/fill': {
      const { side, qty, priceE4, instrument, plan, cause } = event.value;
      return `${head}${plan}: ${side} ${qty} ${oneLine(instrument)} @ ${priceE4 / 10_000} (${cause})`;
    }
    case 'session/plan': {
      const { plan, kind, detail } = event.value;
      return `${head}${plan} ${kind}${detail === undefined ? '' : ` (${oneLine(detail)})`}`;
    }
    case 'session/finalized':
      return `${head}finalized, tip ${event.value.tipHash}`;
    default:
      return event satisfies never;
  }
}

export function sessionsExport({ operands, values }: Arguments, streams: Streams): number {
  const store = openStore(streams.env);
  const log = logOf(operands[0]!, store);
  const proof = new Sessions(() => store).proof(log);
  if (proof === undefined) throw notFinalized(log.id);
  const path = values.get('out')![0]!;
  const bytes = Buffer.from(jcs(proof));
  const signature = signProof({ disk: realDisk, root: store.root }, bytes);
  writeWhole([
    { path, bytes },
    { path: `${path}.sig`, bytes: `${jcs(signature)}\n` },
  ]);
  const told = { proof: path, signature: `${path}.sig`, key: signature.key, tipHash: proof.tipHash };
  if (values.has('json')) streams.write(`${jcs(told)}\n`);
  else streams.write(`${told.proof}\n${told.signature}\nkey ${told.key}\n`);
  return EXITS.ok;
}

export function logOf(id: string, store: Store<SessionEvent>): Log {
  const log = store.session(id);
  if (log !== undefined) return log;
  throw new Failure({
    code: 'unknown-session',
    message: 'this store has no such session',
    expected: 'the id of a session',
    got: id,
    next: 'kestrel sessions list shows them',
  });
}
