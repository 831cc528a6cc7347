/**
 * Who may ask, and what is theirs: a bearer capability has a store of its own, so that nobody else can name what it
 * made. The server keeps a digest of each capability, never the capability.
 */
import { randomBytes } from 'node:crypto';
import { sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import { Host, type Offer, type TapeThread } from '../protocol/index.ts';
import type { SessionEvent } from '../session/index.ts';
import { type Disk, Store } from '../store/index.ts';

export interface Quotas {
  readonly sessions: number;
  readonly grades: number;
  readonly datasets: number;
}

export interface OwnersOptions {
  readonly disk: Disk;
  readonly root: string;
  readonly writer: string;
  readonly mode: 'local' | 'managed';
  readonly quotas: Quotas;
  /** Reads tapes beside the requests; it needs a real disk. */
  readonly tapes?: TapeThread;
  /** Capabilities that are good without having been minted here. */
  readonly tokens: readonly string[];
}

/** Owners kept ready in memory; the one unused longest is opened again when it asks. */
export const OWNERS_KEPT_MAX = 4_096;
/** Trials that one server mints before it says no. */
export const TRIALS_MAX = 1_000_000;

export class Owners {
  readonly #options: OwnersOptions;
  readonly #hosts = new Map<string, Host>();
  readonly #trusted: ReadonlySet<string>;
  #minted = 0;

  constructor(options: OwnersOptions) {
    this.#options = options;
    this.#trusted = new Set(options.tokens.map(idOf));
  }

  /** A new anonymous capability, durable before it is given out; undefined when there are too many. */
  mint(): string | undefined {
    if (this.#minted >= TRIALS_MAX) return undefined;
    this.#minted++;
    const token = `trial-${randomBytes(24).toString('hex')}`;
    this.#options.disk.replace(this.#pathOf(idOf(token)), Buffer.from(jcs({ kind: 'trial' })));
    return token;
  }

  /** The host of a capability; undefined where nobody gave it out. */
  hostOf(token: string): Host | undefined {
    const id = idOf(token);
    const kept = this.#hosts.get(id);
    if (kept !== undefined) {
      this.#hosts.delete(id);
      this.#hosts.set(id, kept);
      return kept;
    }
    if (!this.#trusted.has(id) && this.#options.disk.size(this.#pathOf(id)) === undefined) return undefined;
    const host = this.#open(id);
    this.#hosts.set(id, host);
    for (const [other, idle] of this.#hosts) {
      if (this.#hosts.size <= OWNERS_KEPT_MAX) break;
      if (other !== id && idle.closeIfIdle()) this.#hosts.delete(other);
    }
    return host;
  }

  #open(id: string): Host {
    const { disk, root, writer, mode, quotas, tapes } = this.#options;
    const store = new Store<SessionEvent>({ disk, root: `${root}/owners/${id}`, writer });
    const used: { -readonly [K in keyof Quotas]: number } = {
      sessions: store.sessions().length,
      grades: 0,
      datasets: store.datasets().length,
    };
    const gate = (resource: Offer['resource']): Offer | undefined => {
      const limit = quotas[resource];
      if (used[resource] >= limit) {
        const how = 'the quota of this capability is used up; ask whoever runs this server for another';
        return { kind: 'quota', resource, used: used[resource], limit, how };
      }
      used[resource]++;
      return undefined;
    };
    return new Host({ store: () => store, mode, gate, ...(tapes === undefined ? {} : { tapes }) });
  }

  #pathOf(id: string): string {
    return `${this.#options.root}/capabilities/${id}.json`;
  }
}

function idOf(token: string): string {
  return sha256(`kestrel.capability/1:${token}`).slice(0, 40);
}
