/** The plan that `kestrel demo` runs; examples/fade-flush.kes is the same text, and a test holds the two equal. */

export const STARTER_DAY = 'range';

export const STARTER_PLAN = `# A range day: a flush well below the open is a gift, if it is bought in parts and the way out is written first.
# 1R is what one idea may lose. The whole plan may hold 5R worth of shares, and never a share more.
PLAN fade-flush budget 5R ttl 15:45
  WHEN velocity(5m) <= -10 AND phase morning
  DO buy 100 shares @ lean(bid, fair, 0.5)
  RELOAD every $0.25 down, up to 2
  TP 1.001x frac 0.5 @ fair
  EXIT spot > VWAP held 60s @ bid
  INVALIDATE velocity(5m) <= -60 -> flat
`;
