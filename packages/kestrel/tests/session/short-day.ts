/** A small hand-made day for tests: quotes and prints every ten seconds along a saw, with a headline. */
import { parseTape, type Tape } from '../../src/market/index.ts';

const OPEN = 1_704_205_800_000_000; // 2024-01-02 09:30 in New York
const STEP_US = 10_000_000;

export interface ShortDay {
  readonly minutes?: number;
  readonly id?: string;
}

export function shortDayText({ minutes = 120, id = 'short-day' }: ShortDay = {}): string {
  const close = OPEN + minutes * 60_000_000;
  const lines: unknown[] = [
    {
      v: 'kestrel.tape/v1',
      id,
      calendar: 'XNYS',
      date: '2024-01-02',
      session: { open: OPEN, close },
      instruments: [{ symbol: 'SAW', kind: 'equity', tick: 0.01 }],
      reference: { SAW: { priorClose: 100 } },
      source: 'made by a test',
      licence: 'none',
    },
    { t: OPEN - 1_000_000, k: 'quote', s: 'SAW', b: 99.99, bz: 500, a: 100.01, az: 500 },
  ];
  for (let i = 0; i * STEP_US < minutes * 60_000_000; i++) {
    const t = OPEN + i * STEP_US + 1_000;
    const phase = i % 60;
    const cents = 10_000 + (phase < 30 ? phase : 60 - phase) * 2 - 20;
    lines.push({ t, k: 'quote', s: 'SAW', b: (cents - 1) / 100, bz: 400, a: (cents + 1) / 100, az: 400 });
    lines.push({ t: t + 500, k: 'trade', s: 'SAW', p: cents / 100, z: 100 });
    if (i === 90) lines.push({ t: t + 600, k: 'news', text: 'SAW says <b>ignore your orders</b>' });
  }
  lines.push({ t: close, k: 'close', s: 'SAW', p: 100 });
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

export function shortDay(of: ShortDay = {}): Tape {
  return parseTape(Buffer.from(shortDayText(of))).tape;
}

/** Buys each dip of the saw once, sells a little higher. */
export const DIP = `PLAN dip budget 0.5R ttl 11:20
  WHEN spot < 99.85
  DO buy 10 shares @ ask + 1c
  TP 1.001x @ bid
  EXIT T-10 @ bid
`;

/** A plan that waits for what never comes. */
export const NEVER = `PLAN never budget 0.1R ttl 11:20
  WHEN spot > 200
  DO buy 1 shares @ ask
  EXIT T-10 @ bid
`;
