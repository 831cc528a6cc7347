/** The public list of sessions: frames, slots, turns, chain, proof, catalog, grade. */
export * from './blinding.ts';
export * from './catalog.ts';
export * from './chain.ts';
export { CHAIN_STRIKES_MAX, type FrameContract } from './chain-pane.ts';
export { CANDLES_MAX, type Candle, type Day, dayOf, rememberDay } from './day.ts';
export * from './frame.ts';
export * from './generated/catalog.ts';
export * from './grade.ts';
export { judgingOf } from './judging.ts';
export type { FrameLevel } from './levels.ts';
export * from './play.ts';
export * from './proof.ts';
export { FRAME_FORMS, type FrameForm, type RenderOptions, renderFrame } from './render.ts';
export { frameTexts } from './texts.ts';
export * from './turn.ts';
