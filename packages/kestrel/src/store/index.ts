/** The public list of the store. */
export * from './disk.ts';
export * from './journal.ts';
export * from './keys.ts';
export * from './log.ts';
export * from './memory-disk.ts';
export * from './store.ts';
