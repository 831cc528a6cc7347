/** The public list of synthetic days. */
export { BUNDLED_DAYS, bundledDay, DEFAULT_DAY } from './bundled.ts';
export { CHAIN_EXPIRIES_MAX, CHAIN_RECIPE, CHAIN_SESSIONS_MAX, FIRST_CHAIN_DATE } from './chain.ts';
export { DETAILS, type Detail } from './detail.ts';
export type { ProfileName } from './profile.ts';
export { type SynthCode, SynthRefusal } from './refusal.ts';
export { type Direction, REGIMES, type Regime } from './regime.ts';
export { EVENTS_MIN } from './session.ts';
export {
  FIRST_SYNTH_DATE,
  PRIOR_CLOSE_E4_MAX,
  PRIOR_CLOSE_E4_MIN,
  RECIPE,
  SEED_LENGTH_MAX,
  SYNTH_EVENTS_MAX,
  type SynthOrder,
  synthTape,
} from './tape.ts';
