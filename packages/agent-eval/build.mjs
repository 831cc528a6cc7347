/** What this package builds, for scripts/build.mjs. */
export const entries = {
  bins: {
    'agent-eval': 'src/bin/main.ts',
    'store-worker': 'src/store/sqlite/worker.ts',
  },
  libraries: {
    index: 'src/wire/index.ts',
    dispatch: 'src/dispatch/index.ts',
  },
  external: ['better-sqlite3', 'node:sqlite'],
};
