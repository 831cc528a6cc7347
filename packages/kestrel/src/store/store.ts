/**
 * Everything that outlives a process, under one folder: session logs, artifacts, registered datasets, keys. What is in
 * memory here can be read again from there.
 */
import { sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import { type Disk, StoreFault } from './disk.ts';
import { type LoggedEvent, type LogRecord, SessionLog } from './log.ts';

/** Session logs of which it is remembered where their lines stand; the disk keeps fewer of them open. */
export const LOGS_KEPT_MAX = 4_096;
/** References whose log is remembered, so that it need not be searched for. */
export const KNOWN_REFS_MAX = 20_000;

/** A tape that a subject may name. */
export interface DatasetEntry {
  readonly name: string;
  /** Identity of its tape. */
  readonly tape: string;
  readonly fill: string;
  readonly fees: string;
  readonly rUsdE4: number;
  readonly thinkMs: number;
  readonly checkpoints: readonly string[];
}

export class Store<E extends LoggedEvent = LoggedEvent> {
  readonly root: string;
  readonly #disk: Disk;
  readonly #writer: string;
  readonly #logs = new Map<string, SessionLog<E>>();
  readonly #known = new Map<string, string>();

  /**
   * @param place.root folder of the store
   * @param place.writer a name no other process has, by which a line is known as ours
   */
  constructor(place: { readonly disk: Disk; readonly root: string; readonly writer: string }) {
    this.#disk = place.disk;
    this.root = place.root;
    this.#writer = place.writer;
  }

  // -------------------------------------------------------------- sessions

  /** The log of a session, brought up to date; undefined where there is none. */
  session(id: string): SessionLog<E> | undefined {
    if (!ID.test(id)) return undefined;
    const log = this.#log(id);
    log.refresh();
    if (log.last > 0) return log;
    this.#forget(id);
    return undefined;
  }

  /** Ids of all sessions. */
  sessions(): string[] {
    return this.#disk
      .list(this.#path('sessions'))
      .flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : []));
  }

  /**
   * Opens a session under the first id that nobody has taken.
   *
   * @param idOf the id of the n-th opening of the same pins, n from 1
   * @throws StoreFault
   */
  claim(idOf: (count: number) => string, firstOf: (id: string) => LogRecord<E>): SessionLog<E> {
    for (let count = this.#firstFree(idOf); ; count++) {
      const id = idOf(count);
      const log = this.#log(id);
      log.refresh();
      if (log.last === 0 && log.append(firstOf(id)) === 'won') return log;
    }
  }

  /** Openings are counted without gaps, so the first free place is found by doubling and halving. */
  #firstFree(idOf: (count: number) => string): number {
    const taken = (count: number): boolean => (this.#disk.size(this.#sessionPath(idOf(count))) ?? 0) > 0;
    let high = 1;
    while (taken(high)) high *= 2;
    let low = Math.floor(high / 2);
    while (high - low > 1) {
      const mid = Math.floor((low + high) / 2);
      if (taken(mid)) low = mid;
      else high = mid;
    }
    return high;
  }

  #log(id: string): SessionLog<E> {
    let log = this.#logs.get(id);
    if (log === undefined) {
      log = new SessionLog<E>({ disk: this.#disk, path: this.#sessionPath(id), id, writer: this.#writer });
    } else this.#logs.delete(id);
    this.#logs.set(id, log);
    for (const [other, old] of this.#logs) {
      if (this.#logs.size <= LOGS_KEPT_MAX) break;
      if (old.unsynced) continue;
      old.close();
      this.#logs.delete(other);
    }
    return log;
  }

  #forget(id: string): void {
    this.#logs.get(id)?.close();
    this.#logs.delete(id);
  }

  /** Everything answered after this call survives a crash. @throws StoreFault */
  sync(): void {
    for (const log of this.#logs.values()) log.sync();
  }

  async syncLater(): Promise<void> {
    const behind = [...this.#logs.values()].filter((log) => log.unsynced);
    await Promise.all(behind.map((log) => log.syncLater()));
  }

  /** Whether everything written and read here is on the disk. */
  get isSynced(): boolean {
    for (const log of this.#logs.values()) if (log.unsynced) return false;
    return true;
  }

  close(): void {
    for (const id of [...this.#logs.keys()]) this.#forget(id);
  }

  // -------------------------------------------------------------- artifacts

  /** Where a reference comes from, so that it is found at once. */
  knows(ref: string, id: string): void {
    this.#known.delete(ref);
    this.#known.set(ref, id);
    if (this.#known.size > KNOWN_REFS_MAX) this.#known.delete(this.#known.keys().next().value!);
  }

  /** The session whose log names the reference. */
  sessionWith(ref: string): SessionLog<E> | undefined {
    const known = this.#known.get(ref);
    if (known !== undefined) return this.session(known);
    const needle = Buffer.from(`"${ref}"`);
    for (const id of this.sessions()) {
      const bytes = this.#disk.read(this.#sessionPath(id));
      if (bytes === undefined || !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(needle)) continue;
      this.knows(ref, id);
      return this.session(id);
    }
    return undefined;
  }

  /** Keeps a value that stands in no session's log, by its reference. */
  keep(ref: string, value: unknown): void {
    const path = this.#artifactPath(ref);
    if (path === undefined) throw new Error(`not a reference: ${ref}`);
    if (this.#disk.size(path) === undefined) this.#disk.replace(path, Buffer.from(jcs(value)));
  }

  kept(ref: string): unknown {
    const path = this.#artifactPath(ref);
    const bytes = path === undefined ? undefined : this.#disk.read(path);
    if (bytes === undefined) return undefined;
    const text = Buffer.from(bytes).toString('utf8');
    if (`${ref.slice(0, ref.indexOf(':'))}:${sha256(text)}` !== ref) {
      throw new StoreFault(`read ${ref}`, 'its bytes have changed');
    }
    return JSON.parse(text);
  }

  /** The pointer from an operation to what it made. */
  note(kind: string, key: string, value: unknown): void {
    this.#disk.replace(this.#path('notes', `${kind}-${sha256(key)}.json`), Buffer.from(jcs(value)));
  }

  noted(kind: string, key: string): unknown {
    const bytes = this.#disk.read(this.#path('notes', `${kind}-${sha256(key)}.json`));
    return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
  }

  // -------------------------------------------------------------- datasets and tapes

  datasets(): string[] {
    return this.#disk
      .list(this.#path('datasets'))
      .flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
  }

  dataset(name: string): DatasetEntry | undefined {
    if (!DATASET_NAME.test(name)) return undefined;
    const bytes = this.#disk.read(this.#path('datasets', `${name}.json`));
    return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString('utf8')) as DatasetEntry);
  }

  /** Registers a dataset; its tape's canonical bytes are kept under their identity first. */
  addDataset(entry: DatasetEntry, tapeBytes: Uint8Array): void {
    const path = this.tapePath(entry.tape);
    if (this.#disk.size(path) === undefined) this.#disk.replace(path, tapeBytes);
    this.#disk.replace(this.#path('datasets', `${entry.name}.json`), Buffer.from(jcs(entry)));
  }

  /** Where the canonical text of a registered tape lies. */
  tapePath(identity: string): string {
    return this.#path('tapes', `${identity}.jsonl`);
  }

  /** Canonical text of a registered tape. */
  tape(identity: string): Uint8Array | undefined {
    return /^[0-9a-f]{64}$/.test(identity) ? this.#disk.read(this.tapePath(identity)) : undefined;
  }

  /** Columns that can be made again; a cache that cannot be written costs time and nothing else. */
  cached(name: string): Uint8Array | undefined {
    try {
      return this.#disk.read(this.#path('cache', name));
    } catch {
      return undefined;
    }
  }

  cache(name: string, bytes: Uint8Array): void {
    try {
      this.#disk.replace(this.#path('cache', name), bytes);
    } catch {
      // Nothing depends on it.
    }
  }

  #sessionPath(id: string): string {
    return this.#path('sessions', `${id}.jsonl`);
  }

  #artifactPath(ref: string): string | undefined {
    const parts = REF.exec(ref);
    return parts === null ? undefined : this.#path('artifacts', `${parts[1]}-${parts[2]}.json`);
  }

  #path(...parts: readonly string[]): string {
    return [this.root, ...parts].join('/');
  }
}

const ID = /^s-[0-9a-f]{32}$/;
const REF = /^([a-z]+):([0-9a-f]{64})$/;
/** Names of datasets. */
export const DATASET_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
