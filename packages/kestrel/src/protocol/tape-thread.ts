/**
 * Tapes read on a thread of their own: parsing a day of millions of events takes seconds, in which a server has others
 * to answer. What comes back are columns, which are handed over and not copied. The thread runs the same file as
 * whoever started it; from sources, which Node cannot start a thread from, the same work is done in place.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { parseTape, unpack } from '../market/index.ts';
import type { Day } from '../session/index.ts';
import { type DatasetEntry, realDisk, Store } from '../store/index.ts';
import { AgentRefusal } from './refusal.ts';
import { refusalOf } from './refusing.ts';
import { tapeByIdentity } from './subjects.ts';
import { columnsOf, keepColumns } from './tapes.ts';

/** What is asked of the thread at a time; more are told to come again. */
export const ASKED_MAX = 64;

type Question =
  | { readonly kind: 'load'; readonly root: string; readonly identity: string }
  /** Bytes as they were sent; the tape in them is held until it is stored or dropped. */
  | { readonly kind: 'check'; readonly bytes: Uint8Array; readonly bytesMax: number }
  | { readonly kind: 'store'; readonly ticket: string; readonly root: string; readonly entry: DatasetEntry }
  | { readonly kind: 'drop'; readonly ticket: string };

type Answer =
  | { readonly kind: 'columns'; readonly columns: Uint8Array; readonly day: Day }
  | { readonly kind: 'checked'; readonly ticket: string; readonly identity: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly refusal: Pick<AgentRefusal, 'code' | 'message' | 'shape'> };

interface Asked {
  readonly n: number;
  readonly question: Question;
}

interface Answered {
  readonly n: number;
  readonly answer: Answer;
}

/** A tape that was checked and is not stored yet. */
export interface CheckedTape {
  readonly ticket: string;
  readonly identity: string;
}

/** Who reads and keeps tapes for a server. */
abstract class Tapes {
  readonly #loading = new Map<string, Promise<void>>();

  /** Has the tape in memory once this is kept, where the store at `root` or the catalog knows it. */
  load(root: string, identity: string): Promise<void> {
    const key = `${identity} ${root}`;
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = this.refusing({ kind: 'load', root, identity })
        .then((answer) => {
          if (answer.kind === 'columns') keepColumns(identity, answer.columns, answer.day);
        })
        .finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return loading;
  }

  /** @throws AgentRefusal `bad-arg` where the bytes hold no tape, `too-large` beyond `bytesMax` unpacked */
  async check(bytes: Uint8Array, bytesMax: number): Promise<CheckedTape> {
    const answer = await this.refusing({ kind: 'check', bytes, bytesMax });
    if (answer.kind !== 'checked') throw new Error(`a tape was to be checked, and the thread said ${answer.kind}`);
    return answer;
  }

  /** Registers a checked tape in the store at `root`. @throws AgentRefusal `unavailable` */
  async store(tape: CheckedTape, root: string, entry: DatasetEntry): Promise<void> {
    await this.refusing({ kind: 'store', ticket: tape.ticket, root, entry });
  }

  async drop({ ticket }: CheckedTape): Promise<void> {
    await this.refusing({ kind: 'drop', ticket });
  }

  protected abstract ask(question: Question): Promise<Answer>;

  private async refusing(question: Question): Promise<Answer> {
    const answer = await this.ask(question);
    if (answer.kind !== 'refused') return answer;
    const { code, message, shape } = answer.refusal;
    throw new AgentRefusal(code, message, shape);
  }
}

/** Over a store in this thread: what it is asked holds everybody else up. */
export class TapesInPlace extends Tapes {
  readonly #desk: Desk;

  constructor(store: Store) {
    super();
    this.#desk = new Desk(() => store);
  }

  protected async ask(question: Question): Promise<Answer> {
    return this.#desk.answer(question);
  }
}

/** On a thread of its own, over the real disk. */
export class TapeThread extends Tapes {
  #worker: Worker | undefined;
  #asked = 0;
  readonly #waiting = new Map<number, { done: (answer: Answer) => void; failed: (error: unknown) => void }>();
  readonly #desk = new Desk(onRealDisk);

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  protected async ask(question: Question): Promise<Answer> {
    if (this.#waiting.size >= ASKED_MAX) {
      throw new AgentRefusal('unavailable', 'too many tapes are being read; come again');
    }
    const path = ownPath();
    if (path === undefined) return this.#desk.answer(question);
    const n = ++this.#asked;
    return new Promise<Answer>((done, failed) => {
      this.#waiting.set(n, { done, failed });
      const asked: Asked = { n, question };
      this.#started(path).postMessage(asked, transferable(question));
    });
  }

  #started(path: string): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(path, { workerData: MARK, argv: process.argv.slice(2) });
    this.#worker = worker;
    worker.unref();
    const end = (why: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      // Whatever it was reading when it went, memory of its own included, is not there.
      const refusal = new AgentRefusal('unavailable', `the tape could not be read: ${String(why)}`);
      for (const { failed } of this.#waiting.values()) failed(refusal);
      this.#waiting.clear();
    };
    worker.on('message', ({ n, answer }: Answered) => {
      const waiting = this.#waiting.get(n);
      this.#waiting.delete(n);
      waiting?.done(answer);
    });
    worker.on('error', (error) => end(error.message));
    worker.on('exit', (status) => end(`its thread ended with ${status}`));
    return worker;
  }
}

/** By this a thread knows what it was started for. */
const MARK = 'kestrel.tapes/1';

/** The file that holds this code, if Node can start a thread from it. */
function ownPath(): string | undefined {
  const path = typeof __filename === 'string' ? __filename : fileURLToPath(import.meta.url);
  return path.endsWith('.ts') ? undefined : path;
}

function transferable(question: Question): ArrayBuffer[] {
  if (question.kind !== 'check') return [];
  const { buffer, byteLength } = question.bytes;
  // A view into Node's shared pool cannot be given away.
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 65_536 ? [buffer] : [];
}

// -------------------------------------------------------------- on the thread

/** The same work where it is asked for, with the tapes that were checked and are not stored yet. */
class Desk {
  readonly #storeAt: (root: string) => Store;
  /** By ticket; nobody asks for more of them at a time than {@link ASKED_MAX}. */
  readonly #checked = new Map<string, Uint8Array>();

  constructor(storeAt: (root: string) => Store) {
    this.#storeAt = storeAt;
  }

  answer(question: Question): Answer {
    try {
      return this.#answer(question);
    } catch (error) {
      const { code, message, shape } = refusalOfTape(error);
      return { kind: 'refused', refusal: { code, message, shape } };
    }
  }

  #answer(question: Question): Answer {
    switch (question.kind) {
      case 'load': {
        const store = this.#storeAt(question.root);
        const tape = tapeByIdentity(question.identity, () => store);
        return tape === undefined ? { kind: 'nothing' } : { kind: 'columns', ...columnsOf(tape) };
      }
      case 'check': {
        const text = unpack(question.bytes);
        if (text.length > question.bytesMax) {
          throw new AgentRefusal('too-large', `an unpacked tape has at most ${question.bytesMax} bytes`, {
            expected: `at most ${question.bytesMax} bytes`,
            got: `${text.length} bytes`,
          });
        }
        const { identity } = parseTape(text).tape;
        const ticket = randomUUID();
        this.#checked.set(ticket, text);
        return { kind: 'checked', ticket, identity };
      }
      case 'store': {
        const text = this.#checked.get(question.ticket);
        this.#checked.delete(question.ticket);
        if (text === undefined) throw new AgentRefusal('unavailable', 'the tape is not held any more; send it again');
        this.#storeAt(question.root).addDataset(question.entry, text);
        return { kind: 'nothing' };
      }
      case 'drop':
        this.#checked.delete(question.ticket);
        return { kind: 'nothing' };
      default:
        return question satisfies never;
    }
  }
}

/** What a tape is refused for is the client's to mend. */
function refusalOfTape(error: unknown): AgentRefusal {
  if (!(error instanceof Error) || error.name !== 'TapeRefusal') return refusalOf(error);
  const { expected, got } = error as unknown as { expected: string; got: string };
  return new AgentRefusal('bad-arg', error.message, { path: 'body', expected, got });
}

function onRealDisk(root: string): Store {
  return new Store({ disk: realDisk, root, writer: 'tapes' });
}

if (!isMainThread && workerData === MARK) {
  const desk = new Desk(onRealDisk);
  parentPort!.on('message', ({ n, question }: Asked) => {
    const answer = desk.answer(question);
    const answered: Answered = { n, answer };
    parentPort!.postMessage(answered, answer.kind === 'columns' ? [answer.columns.buffer as ArrayBuffer] : []);
  });
}
