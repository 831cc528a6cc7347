/** Kestrel's own folder: KESTREL_HOME, else `.kestrel` in the user's. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SessionEvent } from '../session/index.ts';
import { realDisk, Store } from '../store/index.ts';

export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const set = env.KESTREL_HOME;
  return set !== undefined && set !== '' ? set : join(homedir(), '.kestrel');
}

export function openStore(env: Readonly<Record<string, string | undefined>>): Store<SessionEvent> {
  return new Store<SessionEvent>({ disk: realDisk, root: homeOf(env), writer: randomUUID() });
}
