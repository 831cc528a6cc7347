/**
 * One server to a home. The lock is a file that says which process holds it; one whose process is gone, or came after
 * the machine or the container was started anew, is taken over. It guards against a slip, not an enemy: logs would
 * survive two servers, but each would play back the other's journal.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from 'ground/folder';
import { AgentRefusal } from '../protocol/index.ts';

export const LOCK_FILE = 'serve.lock';
/** How often the holder touches the lock. */
const TOUCH_MS = 5_000;
/** A holder on another host is gone when it has not touched the lock for so long. */
export const FOREIGN_MS_MAX = 60_000;
/** Takeovers tried before whoever else is trying is believed to be a server too. */
const TRIES_MAX = 3;

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process began, in the kernel's own count; a later process of the same number has another. Null where unknown. */
  readonly began: string | null;
  /** Tells this lock from any other. */
  readonly id: string;
}

export interface HomeLock {
  readonly release: () => void;
}

/**
 * @throws AgentRefusal `unavailable` where another server holds the home
 * @throws what the file system says
 */
export function lockHome(root: string, now: () => number): HomeLock {
  makeFolder(root);
  const path = join(root, LOCK_FILE);
  const mine: Holder = { host: hostname(), pid: process.pid, began: beganOf(process.pid), id: randomUUID() };
  const draft = `${path}.${mine.id}`;
  writeFileSync(draft, `${JSON.stringify(mine)}\n`, { mode: 0o600 });
  try {
    for (let tries = 0; ; tries++) {
      if (linked(draft, path)) break;
      const other = holderIn(path);
      if (other !== undefined && (tries >= TRIES_MAX || isHeld(path, other, now()))) throw heldBy(root, other);
      if (other !== undefined) takeAway(path, other);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const touching = setInterval(() => touch(path, now()), TOUCH_MS);
  touching.unref();
  return {
    release() {
      clearInterval(touching);
      if (holderIn(path)?.id === mine.id) rmSync(path, { force: true });
    },
  };
}

function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false;
    throw error;
  }
}

/** Of several that find the same lock orphaned one renames it first; who then moved a fresh one away puts it back. */
function takeAway(path: string, orphaned: Holder): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return;
    throw error;
  }
  if (holderIn(aside)?.id !== orphaned.id) linked(aside, path);
  rmSync(aside, { force: true });
}

function touch(path: string, nowMs: number): void {
  try {
    utimesSync(path, nowMs / 1_000, nowMs / 1_000);
  } catch {
    // A lock that somebody took away is not missed: the server holds its home as long as it runs.
  }
}

/** undefined where there is none any more; a lock that cannot be read is nobody's. */
function holderIn(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { host, pid, began, id } = JSON.parse(text) as Record<string, unknown>;
    if (typeof host === 'string' && Number.isSafeInteger(pid) && typeof id === 'string') {
      return { host, pid: pid as number, began: typeof began === 'string' ? began : null, id };
    }
  } catch {
    // Below.
  }
  return { host: '', pid: 0, began: null, id: '' };
}

function isHeld(path: string, holder: Holder, nowMs: number): boolean {
  if (holder.pid <= 0) return false;
  if (holder.host !== hostname()) {
    const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    // A clock that was set back must not make a lock last for ever.
    return touched !== undefined && Math.abs(nowMs - touched) < FOREIGN_MS_MAX;
  }
  if (holder.pid === process.pid) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EPERM') return false;
  }
  const began = beganOf(holder.pid);
  return began === null || holder.began === null || began === holder.began;
}

/** Field 22 of Linux' account of a process; the name before it may hold anything but ends at the last bracket. */
function beganOf(pid: number): string | null {
  try {
    const account = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return account.slice(account.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function heldBy(root: string, { host, pid }: Holder): AgentRefusal {
  return new AgentRefusal('unavailable', `another server works on ${root}; stop it, or name another KESTREL_HOME`, {
    path: 'KESTREL_HOME',
    expected: 'a home that no server works on',
    got: `process ${pid} on ${host}`,
  });
}
