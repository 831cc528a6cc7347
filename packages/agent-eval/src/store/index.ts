/** Stores behind two ports, with the suite that every engine passes. */
export { type ConformanceCase, storeConformance } from './conformance.ts';
export { MEMORY_BYTES_MAX, memoryStore } from './memory/memory.ts';
export * from './ports.ts';
export { type SqliteOptions, type SqliteStore, sqliteReading, sqliteStore } from './sqlite/store.ts';
