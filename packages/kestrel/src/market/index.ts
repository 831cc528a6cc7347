/** The public list of the market: tapes, their columns, calendars. */

export {
  ACTIONS_MAX,
  type ActionRecord,
  actionRecords,
  actionsBetween,
  type CorporateAction,
  type DayEnd,
  dayEndOf,
  ORDINARY_SHARE_MAX,
  type Passage,
  passageTo,
  RATIO_MAX,
  type Ratio,
} from './actions.ts';
export { ColumnsBuilder, EVENTS_MAX } from './build.ts';
export { type CachedTape, decodeCache, encodeCache } from './cache.ts';
export * from './calendar.ts';
export { type Chain, type ChainExpiry, chainOf, type Listing, rootsOf, strikeRow, strikeRowFrom } from './chain.ts';
export * from './columns.ts';
export { importCsv } from './csv/import.ts';
export type { CsvOptions } from './csv/options.ts';
export { firstPriceE4, lastPriceE4, openPriceE4, type PricedDay } from './day-prices.ts';
export type { DayOptions } from './dayheader.ts';
export { PRICE_UNITS_MAX, textOfE4 } from './decimal.ts';
export { INSTRUMENTS_MAX, SYMBOL_LENGTH_MAX, TAPE_VERSION } from './header.ts';
export { IMPORT_FORMATS, type ImportFormat, type ImportOptions, importTape } from './import.ts';
export { type Imported, type NamedBytes, readNamed } from './imported.ts';
export {
  type ChainInfo,
  memoryOf,
  type QuoteCounts,
  type Spread,
  type SymbolInfo,
  type TapeInfo,
  tapeInfo,
  type WideContract,
} from './info.ts';
export { ACTION_DAYS, type ActionFiles, readActionFiles } from './lean/actions.ts';
export { importLean, type LeanOptions } from './lean/import.ts';
export { type LoadedTape, type LoadOptions, loadTape } from './load.ts';
export { isIndexRoot, type OptionRules, rulesOf } from './option-rules.ts';
export {
  FIRST_TICK_DATE,
  gridTickE4,
  type OptionGrid,
  onGrid,
  onOptionTick,
  optionGrid,
  optionTickE4,
  type TickArgs,
} from './option-ticks.ts';
export {
  HEADER_BYTES_MAX,
  type ParsedTape,
  type ParseOptions,
  parseTape,
  TAPE_BYTES_MAX,
} from './parse.ts';
export { TAPE_CODES, type TapeCode, TapeRefusal } from './refusal.ts';
export { LINE_BYTES_MAX } from './scan.ts';
export { SKIP_LINES_MAX, SKIPS_MAX, SKIPS_TOLD_MAX, type Skip } from './skips.ts';
export * from './synth/index.ts';
export { tapeFrom } from './tape.ts';
export { unpack } from './unpack.ts';
export { tapeChunks, writeTape } from './write.ts';
