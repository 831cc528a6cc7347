/** What the environment and the flags make of a service: its store, its model, its own rubrics. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { chooseModel, openModel } from '../judge/configure.ts';
import type { JudgeModel } from '../judge/model.ts';
import type { StorePair } from '../store/ports.ts';

/** Where the store is when nobody says: `AGENT_EVAL_HOME`, else `~/.agent-eval`. */
export function homeDir(): string {
  return process.env.AGENT_EVAL_HOME || join(homedir(), '.agent-eval');
}

/**
 * @param place a folder, `memory`, `none`, or undefined for the default folder
 * @throws StoreRefusal when it cannot be opened
 */
export async function openStore(place: string | undefined, writer: 'auto' | 'here'): Promise<StorePair | null> {
  if (place === 'none') return null;
  if (place === 'memory') return (await import('../store/memory/memory.ts')).memoryStore();
  return (await import('../store/sqlite/store.ts')).sqliteStore(place ?? homeDir(), { writer });
}

/** A store that is opened when it is first written to; a call that needs none touches no disk. */
export function lazyStore(open: () => Promise<StorePair>): StorePair {
  let opened: Promise<StorePair> | null = null;
  const store = (): Promise<StorePair> => {
    opened ??= open();
    return opened;
  };
  return {
    traces: {
      append: async (batch) => (await store()).traces.append(batch),
      read: async function* (query) {
        yield* (await store()).traces.read(query);
      },
      repeats: async function* () {
        yield* (await store()).traces.repeats();
      },
      stats: async () => (await store()).traces.stats(),
      retain: async (policy) => (await store()).traces.retain(policy),
    },
    feedback: {
      put: async (write) => (await store()).feedback.put(write),
      get: async (id) => (await store()).feedback.get(id),
      list: async function* (query) {
        yield* (await store()).feedback.list(query);
      },
      retain: async (policy) => (await store()).feedback.retain(policy),
    },
    async close() {
      if (opened !== null) await opened.then((pair) => pair.close()).catch(() => {});
    },
  };
}

/**
 * The model that the environment names, opened when first asked.
 * @returns null where none is configured
 * @throws ModelSettingError for a setting that cannot be meant
 */
export function modelOfEnvironment(): (() => Promise<JudgeModel>) | null {
  const choice = chooseModel(process.env);
  return choice.kind === 'none' ? null : () => openModel(choice);
}
