/** Documents for the engine's benchmark: equal shares of every trigger and clause kind, levels inside the day's range. */

/** A small linear congruential generator: the benchmark's plans are the same on every machine. */
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * @param count how many plans
 * @param range the day's lowest and highest print, in currency
 * @returns texts of at most `perDocument` plans each
 */
export function benchmarkPlans(count, range, perDocument = 500) {
  const roll = dice(20_261_130);
  const price = () => (Math.round((range.low + roll() * (range.high - range.low)) * 100) / 100).toFixed(2);
  const clock = () => {
    const minute = 570 + 5 + Math.floor(roll() * 370);
    return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  };
  const triggers = [
    () => `spot > ${price()}`,
    () => `spot < ${price()}`,
    () => `spot crosses above ${price()}`,
    () => `spot crosses below ${price()}`,
    () => `bid >= ${price()}`,
    () => `ask <= ${price()}`,
    () => `last > ${price()} held ${5 + Math.floor(roll() * 55)}s`,
    () => `mid crosses above ${price()} within 30s AND spread <= 0.03`,
    () => `spot > HOD AND time >= ${clock()}`,
    () => `spot < LOD AND time >= ${clock()}`,
    () => `spot > VWAP + ${1 + Math.floor(roll() * 20)}c`,
    () => `velocity(1m) >= ${Math.floor(roll() * 12)}`,
    () => `range(5m) >= ${5 + Math.floor(roll() * 30)}`,
    () => `spot > ORH(15m) + ${Math.floor(roll() * 15)}c`,
    () => `ema(9, 1m) crosses above ${price()}`,
    () => `sma(20, 1m) > ${price()}`,
    () => `rsi(14, 1m) >= ${55 + Math.floor(roll() * 30)}`,
    () => `atr(14, 1m) > 0.0${1 + Math.floor(roll() * 8)}`,
    () => `rv(30m) > ${5 + Math.floor(roll() * 20)}`,
    () => `volume > ${Math.floor(roll() * 5_000_000)}`,
    () => `phase afternoon AND spot > ${price()}`,
    () => `T-${10 + Math.floor(roll() * 200)}`,
    () => `NOT spot > ${price()} AND time >= ${clock()}`,
    () => `spot > open + ${1 + Math.floor(roll() * 40)}c OR spot < open - ${1 + Math.floor(roll() * 40)}c`,
  ];
  const clauses = [
    () => `  ALSO buy 2 shares @ bid`,
    () => `  RELOAD WHEN spot crosses below ${price()} buy 1 shares @ ask`,
    () => `  RELOAD every $0.10 down, up to 3`,
    () => `  TP 1.00${1 + Math.floor(roll() * 8)}x frac 0.5 @ bid`,
    () => `  EXIT spot < ${price()} @ bid - 5c`,
    () => `  INVALIDATE spot > ${price()} held 60s -> halt, ride`,
    () => `  INVALIDATE spot < ${price()} -> flat`,
    () => `  CANCEL-IF velocity(1m) <= -${5 + Math.floor(roll() * 20)}`,
    () => `  EXIT pnl.realized < -0.5R @ bid`,
    () => `  TP 1.01x @ basis + 10c`,
    () => `  EXIT T-5 @ bid peg floor basis - 50c`,
    () => `  EXIT spot < fills.avg_px - 25c @ bid`,
  ];
  const prices = [
    'ask',
    'lean(bid, ask, 0.5)',
    'bid peg cap ask',
    'join esc ask 30s',
    'ask + 2t',
    'min(fair, mid)',
    'last',
  ];
  const texts = [];
  let text = [];
  for (let i = 0; i < count; i++) {
    const from = i > 0 && i % 24 === 0 ? `b-${i - 1}` : undefined;
    text.push(
      `PLAN b-${i} budget 0.5R ttl 15:55${i % 10 === 9 ? ' regime {intraday: trend}' : ''}`,
      from === undefined
        ? `  WHEN ${triggers[i % triggers.length]()}`
        : `  WHEN plan(${from}).fired AND spot > ${price()}`,
      `  DO buy ${1 + (i % 5)} shares @ ${prices[i % prices.length]}`,
      clauses[i % clauses.length](),
      clauses[(i * 7 + 3) % clauses.length](),
    );
    if ((i + 1) % perDocument === 0) {
      texts.push(text.join('\n'));
      text = [];
    }
  }
  if (text.length > 0) texts.push(text.join('\n'));
  return texts;
}
