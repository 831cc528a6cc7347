// The public list of the language: model, parser and what is made from them.
export type * from './model.ts';
export { type Parsed, parse } from './parse.ts';
export type { SpanOf } from './spans.ts';
