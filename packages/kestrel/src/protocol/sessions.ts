/**
 * Sessions of one store, as the ops use them: opened, replayed from their log, answered, finalized. A session that is
 * live in memory follows its log, so that whatever another process wrote is taken in before anything is answered.
 */
import { hashOf, sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import {
  type BoundResponse,
  type ClockRule,
  type Delivery,
  frameTexts,
  Play,
  type Progress,
  type Proof,
  proofOf,
  type Seen,
  type SessionEvent,
  type SessionResponse,
  type SessionState,
  type SessionTranscript,
  type Sliced,
  type Terms,
  type TurnBody,
} from '../session/index.ts';
import type { LogRecord, SessionLog, Store } from '../store/index.ts';
import { AgentRefusal, gotOf } from './refusal.ts';
import { type Given, termsOfPins } from './subjects.ts';

export type Log = SessionLog<SessionEvent>;
type Record_ = LogRecord<SessionEvent>;

/** Sessions that are kept ready in memory; the one unused longest is read from its log when it is wanted again. */
export const LIVE_SESSIONS_MAX = 4_096;
/** Events of one answer. */
export const EVENTS_MAX = 10_000;
/** Rounds in which another process may win before we give up. */
const ROUNDS_MAX = 8;

export interface Finalized {
  readonly blotter: Proof['blotter'];
  readonly sessionId: string;
  readonly tipHash: string;
  readonly conformanceRoot: string;
  readonly artifacts: readonly string[];
}

interface Live {
  readonly play: Play;
  /** Sequence of the last event that the play has made and the log holds. */
  sequence: number;
}

export class Sessions {
  readonly #store: () => Store<SessionEvent>;
  readonly #ready: (identity: string) => Sliced<void>;
  readonly #live = new Map<string, Live>();
  /** Sessions in the middle of a run. */
  readonly #running = new Map<string, string>();

  /** @param ready has a tape in memory before it is asked for */
  constructor(store: () => Store<SessionEvent>, ready: (identity: string) => Sliced<void> = readAtOnce) {
    this.#store = store;
    this.#ready = ready;
  }

  /** Opens a session of the terms under the first free id. */
  open(terms: Terms): string {
    const play = new Play(terms, '');
    const { pins } = play;
    const given: Given = { document: terms.document ?? null, checkpoints: terms.checkpoints };
    const events = play.takeEvents();
    const log = this.#store().claim(
      (count) => `s-${hashOf({ v: 'kestrel.session/v1', pins, count }).slice(0, 32)}`,
      () => ({ op: 'openSession', key: 'open', events, refs: [], given }),
    );
    play.bind(log.id);
    this.#keep(log.id, { play, sequence: log.last });
    return log.id;
  }

  /** @returns undefined where there is no such session */
  log(id: string): Log | undefined {
    return this.#store().session(id);
  }

  /** @throws AgentRefusal `unknown-subject` where this store has no such session */
  known(id: string): Log {
    const log = this.log(id);
    if (log === undefined) throw new AgentRefusal('unknown-subject', 'this store has no such session', { got: id });
    return log;
  }

  ids(): string[] {
    return this.#store().sessions();
  }

  /** The operation that is at work on the session now. */
  runningOn(id: string): string | undefined {
    const operation = this.#running.get(id);
    return operation?.endsWith('/replay') === true ? undefined : operation;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** What the run that is at work on the session has come to; undefined where none is. */
  progressOf(id: string, seen: Seen): Progress | undefined {
    return this.#running.has(id) ? this.#live.get(id)?.play.progress(seen) : undefined;
  }

  /** The pending slot, made if this is the first `start`. */
  *start(id: string): Sliced<Delivery> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const log = yield* this.#free(id);
      const state = stateOf(log);
      if (state === 'ended' || state === 'finalized') throw over(state);
      if (state === 'pending') return this.#pendingOf(log);
      const live = yield* this.#liveOf(log);
      const delivery = live.play.start();
      if (this.#append(log, live, { op: 'start', key: 'start' }) === 'won') return delivery;
    }
    throw busy();
  }

  /** Answers the slot that the stream was shown. */
  *answer(
    id: string,
    turn: { readonly op: string; readonly body: TurnBody; readonly clock: ClockRule; readonly shown: number | null },
  ): Sliced<SessionResponse> {
    const log = yield* this.#free(id);
    const state = stateOf(log);
    if (state === 'ended' || state === 'finalized') throw over(state);
    if (state === 'opened' || turn.shown === null) throw notStarted(state);
    const { slot } = this.#pendingOf(log);
    if (slot.ordinal !== turn.shown) throw answeredElsewhere(slot.ordinal, turn.shown);
    return yield* this.#turn(log, turn);
  }

  /** Answers with the binding spelled out; the same turn again gets the recorded answer. */
  *submit(id: string, bound: BoundResponse): Sliced<SessionResponse> {
    if (bound.sessionId !== id) throw mismatch('sessionId', id, bound.sessionId);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const log = yield* this.#free(id);
      const recorded = log.find(String(bound.ordinal));
      if (recorded !== undefined) return recordedAnswer(recorded, bound);
      const state = stateOf(log);
      if (state === 'opened') throw notStarted(state);
      if (state === 'ended' || state === 'finalized') throw over(state);
      const { slot } = this.#pendingOf(log);
      for (const field of ['ordinal', 'parentHash', 'frameRoot'] as const) {
        if (bound[field] !== slot[field]) throw mismatch(field, slot[field], bound[field]);
      }
      try {
        return yield* this.#turn(log, { op: 'submit', body: bound.body, clock: 'runs' });
      } catch (error) {
        // Another process was quicker: its turn is this one, or a different one.
        if (!(error instanceof AgentRefusal) || error.code !== 'slot-mismatch') throw error;
      }
    }
    throw busy();
  }

  *#turn(
    log: Log,
    turn: { readonly op: string; readonly body: TurnBody; readonly clock: ClockRule },
  ): Sliced<SessionResponse> {
    const live = yield* this.#liveOf(log);
    const key = String(live.play.pending!.slot.ordinal);
    const response = yield* this.#exclusively(log.id, `${log.id}/${key}`, () =>
      live.play.answer(turn.body, turn.clock),
    );
    if (this.#append(log, live, { op: turn.op, key, given: { clock: turn.clock } }) === 'won') return response;
    throw answeredElsewhere(lastOrdinal(log), Number(key));
  }

  *finalize(id: string): Sliced<Finalized> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const log = yield* this.#free(id);
      const recorded = log.find('finalize');
      if (recorded !== undefined) return finalizedIn(recorded, id);
      if (stateOf(log) === 'opened') throw notStarted('opened');
      const live = yield* this.#liveOf(log);
      const { play } = live;
      const finished = yield* this.#exclusively(id, `${id}/finalize`, () => play.finish());
      const fresh = play.takeEvents();
      const proof = proofOf(play);
      const refs = artifactRefs(log, fresh, play, { sessionId: id, proof });
      play.finalized(refs);
      const events = [...fresh, ...play.takeEvents()];
      const kept = { [refs[0]!]: finished.blotter, [refs[1]!]: proof };
      if (this.#append(log, live, { op: 'finalize', key: 'finalize', refs, kept, events }) === 'won') {
        return { sessionId: id, artifacts: refs, ...finished };
      }
    }
    throw busy();
  }

  /** The play of a finished session again, from its log alone. */
  proof(log: Log): Proof | undefined {
    const record = log.find('finalize');
    return Object.entries(record?.kept ?? {}).find(([ref]) => ref.startsWith('proof:'))?.[1] as Proof | undefined;
  }

  /** The pending slot, from the play where it is up to date, else from the log. */
  #pendingOf(log: Log): Delivery {
    const live = this.#live.get(log.id);
    return (live?.sequence === log.last ? live.play.pending : undefined) ?? lastDelivery(log);
  }

  // -------------------------------------------------------------- live plays

  #keep(id: string, live: Live): void {
    this.#live.delete(id);
    this.#live.set(id, live);
    for (const other of this.#live.keys()) {
      if (this.#live.size <= LIVE_SESSIONS_MAX) break;
      if (!this.#running.has(other)) this.#live.delete(other);
    }
  }

  /** The session's log, once nothing in this process runs on it. */
  *#free(id: string): Sliced<Log> {
    while (this.#running.has(id)) yield undefined;
    return this.known(id);
  }

  *#exclusively<T>(id: string, operation: string, run: () => Sliced<T>): Sliced<T> {
    this.#running.set(id, operation);
    let done = false;
    try {
      const result = yield* run();
      done = true;
      return result;
    } finally {
      this.#running.delete(id);
      // What was left half way is not what the log says.
      if (!done) this.#live.delete(id);
    }
  }

  *#liveOf(log: Log): Sliced<Live> {
    let live = this.#live.get(log.id);
    if (live === undefined || live.sequence > log.last) {
      yield* this.#exclusively(log.id, `${log.id}/replay`, () => this.#ready(tapeIn(log)));
      const play = new Play(termsIn(log, this.#store), log.id);
      play.takeEvents();
      live = { play, sequence: 1 };
    }
    const behind = live;
    if (behind.sequence < log.last) {
      yield* this.#exclusively(log.id, `${log.id}/replay`, () => replay(behind, log));
    }
    this.#keep(log.id, live);
    return live;
  }

  /** Writes what the play has just done; where another came first, the play is forgotten and the log holds. */
  #append(
    log: Log,
    live: Live,
    of: {
      readonly op: string;
      readonly key: string;
      readonly given?: unknown;
      readonly refs?: readonly string[];
      readonly kept?: Readonly<Record<string, unknown>>;
      readonly events?: readonly SessionEvent[];
    },
  ): 'won' | 'lost' {
    const events = of.events ?? live.play.takeEvents();
    const refs = of.refs ?? events.flatMap(refsOf);
    let outcome: 'won' | 'lost' = 'lost';
    try {
      const kept = of.kept === undefined ? {} : { kept: of.kept };
      const given = of.given === undefined ? {} : { given: of.given };
      outcome = log.append({ op: of.op, key: of.key, events, refs, ...kept, ...given }, frameTexts);
      return outcome;
    } finally {
      if (outcome === 'won') live.sequence = log.last;
      else this.#live.delete(log.id);
    }
  }
}

function* replay(live: Live, log: Log): Sliced<void> {
  const { play } = live;
  for (const record of log.records(live.sequence + 1)) {
    switch (record.key) {
      case 'open':
        continue;
      case 'start':
        play.start();
        break;
      case 'finalize': {
        yield* play.finish();
        const last = record.events.at(-1)!;
        if (last.kind === 'session/finalized') play.finalized(last.value.artifacts);
        break;
      }
      default: {
        const turn = record.events[0]!;
        if (turn.kind !== 'session/turn') throw new Error(`session ${log.id}: line ${record.key} holds no turn`);
        yield* play.answer(turn.value.body, (record.given as { clock: ClockRule }).clock);
      }
    }
    if (jcs(play.takeEvents()) !== jcs(record.events)) {
      throw new Error(`session ${log.id} does not replay: ${record.op} ${record.key} comes out differently`);
    }
    live.sequence = record.events.at(-1)!.sequence;
  }
}

/** Where no other thread reads tapes, they are read when they are asked for. */
function* readAtOnce(): Sliced<void> {}

/** Identity of the tape that the session is pinned to. */
export function tapeIn(log: Log): string {
  const [opened] = log.find('open')!.events;
  if (opened?.kind !== 'session/opened') throw new Error(`session ${log.id} begins with ${opened?.kind}`);
  return opened.value.pins.tape;
}

export function termsIn(log: Log, store: () => Store<SessionEvent>): Terms {
  const record = log.find('open')!;
  const opened = record.events[0]!;
  if (opened.kind !== 'session/opened') throw new Error(`session ${log.id} begins with ${opened.kind}`);
  const terms = termsOfPins(opened.value.pins, record.given as Given, store);
  if (terms !== undefined) return terms;
  throw new AgentRefusal('unavailable', 'the tape that this session is pinned to is not here any more', {
    expected: opened.value.pins.tape,
  });
}

/** What can be read back from an event, by reference. */
function refsOf(event: SessionEvent): string[] {
  if (event.kind === 'session/frame') return [`frame:${event.value.slot.frameRoot}`];
  if (event.kind === 'session/turn' && event.value.body.kind === 'authored') {
    return [`document:${hashOf(event.value.body.document)}`];
  }
  return [];
}

function artifactRefs(
  log: Log,
  fresh: readonly SessionEvent[],
  play: Play,
  of: { readonly sessionId: string; readonly proof: Proof },
): string[] {
  const refs = [
    `blotter:${hashOf(play.finished!.blotter)}`,
    `proof:${hashOf(of.proof)}`,
    `transcript:${transcriptHash(log, fresh, of.sessionId)}`,
    ...play.turns.flatMap(({ body }) => (body.kind === 'authored' ? [`document:${hashOf(body.document)}`] : [])),
    ...play.frameRoots.map((root) => `frame:${root}`),
  ];
  return [...new Set(refs)];
}

/** H of what {@link transcriptOf} makes of the log and the fresh events, from the log's own text. */
function transcriptHash(log: Log, fresh: readonly SessionEvent[], sessionId: string): string {
  const last = fresh.at(-1) ?? lastEvent(log);
  const cursor = { sequence: last.sequence, token: tokenOf(sessionId, last) };
  const events = [log.eventsText(), ...fresh.map((event) => jcs(event, frameTexts))].join(',');
  return sha256(`{"cursor":${jcs(cursor)},"events":[${events}],"sessionId":${jcs(sessionId)},"state":"ended"}`);
}

function lastEvent(log: Log): SessionEvent {
  return log.find(log.lastKey!)!.events.at(-1)!;
}

export function eventsOf(log: Log): SessionEvent[] {
  return [...log.records()].flatMap((record) => record.events);
}

/** The transcript artifact: everything before the session was finalized. */
export function transcriptOf(
  sessionId: string,
  events: readonly SessionEvent[],
  state: SessionState,
): SessionTranscript {
  const last = events.at(-1)!;
  return { sessionId, state, events, cursor: { sequence: last.sequence, token: tokenOf(sessionId, last) } };
}

export function tokenOf(sessionId: string, event: SessionEvent): string {
  return hashOf({ sessionId, sequence: event.sequence, event }).slice(0, 32);
}

export function stateOf(log: Log): SessionState {
  switch (log.lastKey) {
    case undefined:
    case 'open':
      return 'opened';
    case 'finalize':
      return 'finalized';
    default:
      return log.lastEnds === 'session/frame' ? 'pending' : 'ended';
  }
}

function lastDelivery(log: Log): Delivery {
  const event = log.find(log.lastKey!)!.events.at(-1)!;
  if (event.kind !== 'session/frame') throw new Error(`session ${log.id} has no pending slot`);
  return event.value;
}

function lastOrdinal(log: Log): number | undefined {
  return stateOf(log) === 'pending' ? lastDelivery(log).slot.ordinal : undefined;
}

/** The response of a recorded turn. */
export function responseIn(record: Record_): SessionResponse {
  const turn = record.events[0]!;
  const last = record.events.at(-1)!;
  if (turn.kind !== 'session/turn') throw new Error(`${record.key} is no turn`);
  return last.kind === 'session/frame'
    ? { state: 'pending', turn: turn.value.receipt, delivery: last.value }
    : { state: 'ended', turn: turn.value.receipt, reason: 'close' };
}

export function finalizedIn(record: Record_, sessionId: string): Finalized {
  const last = record.events.at(-1)!;
  if (last.kind !== 'session/finalized') throw new Error('a finalize line ends with its event');
  const { tipHash, conformanceRoot, artifacts } = last.value;
  const blotter = record.kept![artifacts[0]!] as Finalized['blotter'];
  return { blotter, sessionId, tipHash, conformanceRoot, artifacts };
}

function recordedAnswer(record: Record_, bound: BoundResponse): SessionResponse {
  const turn = record.events[0]!;
  if (turn.kind !== 'session/turn') throw new Error(`${record.key} is no turn`);
  const { ordinal, parentHash, frameRoot, body } = turn.value;
  const told = { ordinal, parentHash, frameRoot, body };
  for (const field of ['parentHash', 'frameRoot', 'body'] as const) {
    if (jcs(bound[field]) !== jcs(told[field])) throw mismatch(field, told[field], bound[field]);
  }
  return responseIn(record);
}

function mismatch(field: string, expected: unknown, got: unknown): AgentRefusal {
  return new AgentRefusal('slot-mismatch', `response.${field} is not that of the slot`, {
    path: `response.${field}`,
    expected: gotOf(expected),
    got: gotOf(got),
  });
}

function answeredElsewhere(pending: number | undefined, shown: number): AgentRefusal {
  return new AgentRefusal(
    'slot-mismatch',
    `slot ${shown} has been answered by another stream; start shows the pending one`,
    { expected: pending === undefined ? 'no slot: the session has ended' : `slot ${pending}`, got: `slot ${shown}` },
  );
}

function over(state: 'ended' | 'finalized'): AgentRefusal {
  return new AgentRefusal(
    'session-finalized',
    state === 'ended'
      ? 'the session has reached its close; finalize, resume and a repeated submit are left'
      : 'the session is finalized; resume, finalize and a repeated submit still answer',
    { expected: 'finalize | resume | openSession' },
  );
}

function notStarted(state: SessionState): AgentRefusal {
  return new AgentRefusal(
    'not-started',
    state === 'opened' ? 'the session has not been started' : 'this stream has not been shown a slot',
    { expected: 'start first' },
  );
}

function busy(): AgentRefusal {
  return new AgentRefusal('unavailable', 'other processes keep writing to this session; try again');
}
