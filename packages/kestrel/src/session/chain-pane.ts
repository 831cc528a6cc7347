/** The chain of a frame: contracts near the money with their quotes, and what `fair-v1` makes of them, with its receipt. */
import { type Engine, FairValue, type OptionChain } from '../engine/index.ts';

export interface FrameContract {
  /** Root, expiry, strike and right. */
  readonly contract: string;
  readonly bidE4: number | null;
  readonly askE4: number | null;
  /** The model's opinion, null unless its receipt is `ok`. */
  readonly fairE4: number | null;
  /** `ok`, or why the model has no opinion. */
  readonly receipt: string;
  /** Of the smile at this strike, percent a year with two decimals; null unless the receipt is `ok`. */
  readonly ivPct: string | null;
  /** When its standing quote came; null where its book is empty. */
  readonly asOf: number | null;
}

/** Strikes of one chain in a frame, those nearest the money; calls and puts of each. */
export const CHAIN_STRIKES_MAX = 10;
/** Symbols whose options a frame shows, in the order of the tape. */
export const CHAIN_SYMBOLS_MAX = 4;

/**
 * The chain of each symbol that is nearest to its settlement, nearest strikes first, the lower of two that are equally
 * near, the call before the put.
 *
 * The fit is the frame's own: one that a plan reads stands for a second of market time, and must not begin because
 * somebody looked.
 */
export function chainOf(engine: Engine, now: number): readonly FrameContract[] {
  const { tape } = engine;
  const chains = tape.instruments.flatMap((x) => {
    if (x.kind === 'option') return [];
    const next = engine.chains.of(x.symbol).find(({ settlesAt }) => settlesAt > now);
    return next === undefined ? [] : [next];
  });
  return chains.slice(0, CHAIN_SYMBOLS_MAX).flatMap((chain) => contractsOf(engine, chain, now));
}

function contractsOf(engine: Engine, chain: OptionChain, now: number): FrameContract[] {
  const { market, tape } = engine;
  const { strikesE4, calls, puts } = chain.listed;
  const model = new FairValue(chain, tape.columns, market, () => now);
  const { ok, why, forwardE4 } = model.receipt;
  const spot = chain.underlying < 0 ? Number.NaN : market.spot[chain.underlying]!;
  const money = Number.isNaN(spot) ? forwardE4 : spot;
  const rows = strikesE4.map((_, row) => row);
  if (!Number.isNaN(money)) {
    rows.sort((a, b) => Math.abs(strikesE4[a]! - money) - Math.abs(strikesE4[b]! - money) || a - b);
  }
  return rows.slice(0, CHAIN_STRIKES_MAX).flatMap((row) =>
    (['C', 'P'] as const).flatMap((right): FrameContract[] => {
      const slot = (right === 'C' ? calls : puts)[row]!;
      if (slot < 0) return [];
      const good = market.good(slot);
      const event = market.quoteEvent[slot]!;
      return [
        {
          contract: market.symbols[slot]!,
          bidE4: good ? market.bid(slot) : null,
          askE4: good ? market.ask(slot) : null,
          fairE4: ok ? Math.round(model.valueE4(right, row)) : null,
          receipt: why,
          ivPct: ok ? (model.vol(strikesE4[row]!) * 100).toFixed(2) : null,
          asOf: event < 0 ? null : tape.columns.t[event]!,
        },
      ];
    }),
  );
}
