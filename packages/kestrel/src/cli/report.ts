/** The blotter for people: plans, orders, fills with their cause, what never fired and why, refusals, totals, hash. */
import Table from 'cli-table3';
import {
  type Blotter,
  type BlotterPlan,
  BRACKET,
  BRACKET_BOOKS,
  type Bracket,
  type CarryStep,
  type Days,
  type Nearest,
} from '../engine/index.ts';
import { utcToLocal } from '../market/index.ts';
import { oneLine } from './failure.ts';
import { clockText, counted, decimal, grouped, inR, signed } from './figures.ts';
import type { Paint } from './terminal.ts';

/** What the report says of the tape beside the blotter's pins. */
export interface DayFacts {
  readonly id: string;
  readonly date: string;
  /** IANA zone of the exchange: every clock in the report is local to it. */
  readonly zone: string;
  readonly events: number;
  readonly source: string;
}

/** Rows of one table beyond which the report says how many more there are; the JSON has them all. */
export const REPORT_ROWS_MAX = 200;

/** @returns the report, ending in a line with the determinism hash */
export function reportOf(blotter: Blotter, day: DayFacts, paint: Paint): string {
  const clock = (t: number): string => clockText(utcToLocal(day.zone, t));
  return [
    headOf(blotter, day, paint),
    plansOf(blotter, paint),
    ordersOf(blotter, clock, paint),
    fillsOf(blotter, clock, paint),
    settlementsOf(blotter, clock, paint),
    openAtCloseOf(blotter, paint),
    neverFiredOf(blotter, clock, paint),
    happeningsOf(blotter, clock, paint),
    refusalsOf(blotter, clock, paint),
    totalsOf(blotter, paint),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function headOf({ pins }: Blotter, day: DayFacts, paint: Paint): string {
  const facts = [
    day.date,
    counted(day.events, 'event'),
    pins.fill,
    `fees ${pins.fees}`,
    `1R = $${decimal(pins.rUsdE4)}`,
    pins.engine,
  ];
  const source = day.source === '' ? '' : `${paint.dim(oneLine(day.source))}\n`;
  return `${paint.bold(oneLine(day.id))}  ${facts.map(String).map(oneLine).join(' · ')}\n${source}`;
}

function plansOf(blotter: Blotter, paint: Paint): string {
  const rows = blotter.plans.map((plan) => [
    plan.name,
    plan.state,
    plan.reason ?? '',
    right(String(plan.orders.length)),
    right(String(plan.fills.length)),
    right(decimal(plan.feesE4)),
    right(gain(plan.realizedE4, paint)),
    right(openOf(plan)),
    right(gain(plan.netE4, paint)),
    right(inR(plan.netR)),
    right(`${inR(plan.worstR)} / ${inR(plan.bestR)}`),
  ]);
  const head = [
    'plan',
    'state',
    'reason',
    'orders',
    'fills',
    'fees $',
    'realized $',
    'open',
    'net $',
    'net R',
    'worst / best',
  ];
  return section('Plans', table(head, rows, paint), paint);
}

function openOf(plan: BlotterPlan): string {
  if (plan.openQty === 0) return '';
  const mark = plan.markE4 === undefined ? '' : ` @ ${decimal(plan.markE4)}`;
  return `${grouped(plan.openQty)}${mark}`;
}

type ClockOf = (t: number) => string;

function ordersOf(blotter: Blotter, clock: ClockOf, paint: Paint): string {
  const rows = blotter.plans.flatMap((plan) =>
    plan.orders.map((order) => ({
      t: order.createdAt,
      cells: [
        clock(order.createdAt),
        order.arrivedAt === null ? '' : clock(order.arrivedAt),
        plan.name,
        right(String(order.id)),
        order.clause,
        order.side,
        right(grouped(order.qty)),
        order.instrument,
        right(order.limitE4 === null ? 'market' : decimal(order.limitE4)),
        order.state,
      ],
    })),
  );
  if (rows.length === 0) return '';
  const head = ['created', 'arrived', 'plan', 'order', 'clause', 'side', 'qty', 'instrument', 'limit', 'state'];
  return section('Orders', table(head, inTime(rows), paint), paint);
}

function fillsOf(blotter: Blotter, clock: ClockOf, paint: Paint): string {
  const queues = blotter.plans.some((plan) => plan.fills.some((fill) => fill.queueAhead !== undefined));
  const rows = blotter.plans.flatMap((plan) =>
    plan.fills.map((fill) => ({
      t: fill.t,
      cells: [
        clock(fill.t),
        plan.name,
        right(String(fill.order)),
        left(fill.side === 'buy' ? paint.buy('buy') : paint.sell('sell')),
        right(grouped(fill.qty)),
        fill.instrument,
        right(decimal(fill.priceE4)),
        fill.cause,
        right(String(fill.event)),
        right(grouped(fill.sizeSeen)),
        ...(queues ? [right(fill.queueAhead === undefined ? '' : grouped(fill.queueAhead))] : []),
      ],
    })),
  );
  if (rows.length === 0) return section('Fills', 'none\n', paint);
  const head = ['time', 'plan', 'order', 'side', 'qty', 'instrument', 'price', 'cause', 'event', 'size seen'];
  if (queues) head.push('queue');
  return section('Fills', table(head, inTime(rows), paint), paint);
}

/** What expired: contracts and verticals at their worth on the underlying's last price. */
function settlementsOf(blotter: Blotter, clock: ClockOf, paint: Paint): string {
  const rows = blotter.plans.flatMap((plan) =>
    (plan.settlements ?? []).map((s) => [
      clock(s.t),
      plan.name,
      right(grouped(s.qty)),
      s.instrument,
      right(decimal(s.priceE4)),
      right(decimal(s.underlyingE4)),
      s.from,
    ]),
  );
  if (rows.length === 0) return '';
  const head = ['time', 'plan', 'qty', 'instrument', 'settled at', 'underlying', 'by its'];
  return section('Expired', table(head, rows, paint), paint);
}

/** Several positions of one plan, each with its mark; a single one stands in the plans' table. */
function openAtCloseOf(blotter: Blotter, paint: Paint): string {
  const rows = blotter.plans.flatMap((plan) =>
    (plan.positions ?? []).map((p) => [
      plan.name,
      p.side,
      right(grouped(p.qty)),
      p.instrument,
      right(decimal(p.costE4)),
      right(decimal(p.markE4)),
      p.openAtClose,
    ]),
  );
  if (rows.length === 0) return '';
  const head = ['plan', 'side', 'qty', 'instrument', 'cost $', 'mark', 'by its'];
  return section('Open at the close', table(head, rows, paint), paint);
}

/** Three books of one day, side by side. */
export function bracketOf(books: Bracket, paint: Paint): string {
  const rows = BRACKET_BOOKS.map((book) => {
    const { totals, determinismHash } = books[book];
    return [
      book === books.headline ? `${book} (headline)` : book,
      BRACKET[book],
      right(grouped(totals.orders)),
      right(grouped(totals.fills)),
      right(decimal(totals.feesE4)),
      right(gain(totals.netE4, paint)),
      right(inR(totals.netR)),
      determinismHash.slice(0, 16),
    ];
  });
  const head = ['book', 'model', 'orders', 'fills', 'fees $', 'net $', 'net R', 'determinismHash'];
  return section('Bracket', table(head, rows, paint), paint);
}

/** What was carried from day to day, and what all days come to. */
export function daysOf({ days, carried, totals, determinismHash }: Days, paint: Paint): string {
  const rows = carried.map((c) => [
    c.plan,
    c.opened,
    c.side,
    c.instrument,
    c.steps.map(stepText).join(', '),
    right(c.openQty === 0 ? '' : grouped(c.openQty)),
    right(gain(c.realizedE4, paint)),
    right(gain(c.markedE4, paint)),
  ]);
  const head = ['plan', 'opened', 'side', 'instrument', 'what became of it', 'open', 'realized $', 'marked $'];
  const line = [
    counted(days.length, 'day'),
    `realized ${signed(totals.realizedE4)}`,
    `marked ${signed(totals.markedE4)}`,
    `fees ${decimal(totals.feesE4)}`,
    paint.bold(`net ${gain(totals.netE4, paint)} dollars, ${inR(totals.netR)}`),
  ].join(' · ');
  const overnight = rows.length === 0 ? '' : `${section('Carried overnight', table(head, rows, paint), paint)}\n`;
  return `${overnight}${section('All days', `  ${line}\n`, paint)}\ndeterminismHash ${determinismHash}\n`;
}

function stepText(step: CarryStep): string {
  switch (step.kind) {
    case 'split':
      return `${step.date} split ${step.ratio[0]} for ${step.ratio[1]}: ${grouped(step.qty)} ${step.instrument}`;
    case 'rename':
      return `${step.date} named ${step.instrument}`;
    case 'distribution':
      return `${step.date} paid ${decimal(step.amountE4)}`;
    case 'settled':
      return `${step.date} settled at ${decimal(step.priceE4)} by the ${step.from} of ${decimal(step.underlyingE4)}`;
    case 'marked':
      return `${step.date} marked at ${decimal(step.priceE4)} by its ${step.from}`;
    default:
      return step satisfies never;
  }
}

function neverFiredOf(blotter: Blotter, clock: ClockOf, paint: Paint): string {
  const rows = blotter.plans.flatMap(({ name, nearest }) =>
    nearest === undefined
      ? []
      : [
          [
            name,
            nearest.clause,
            nearest.t === null ? '' : clock(nearest.t),
            right(distanceOf(nearest)),
            nearest.blockedBy,
          ],
        ],
  );
  if (rows.length === 0) return '';
  return section('Never fired', table(['plan', 'clause', 'nearest at', 'away by', 'blocked by'], rows, paint), paint);
}

function distanceOf({ distance, unit }: Nearest): string {
  if (distance === null) return '';
  return unit === 'E4' ? decimal(Math.ceil(distance)) : `${Number(distance.toPrecision(6))} ${unit}`.trim();
}

/** What befell a plan and is neither an order nor a fill: arming, firing, gates. */
function happeningsOf(blotter: Blotter, clock: ClockOf, paint: Paint): string {
  const rows = blotter.plans.flatMap((plan) =>
    plan.events.map((event) => ({ t: event.t, cells: [clock(event.t), plan.name, event.kind, event.detail ?? ''] })),
  );
  if (rows.length === 0) return '';
  return section('What happened', table(['time', 'plan', 'event', 'detail'], inTime(rows), paint), paint);
}

/** The blotter's messages count in units of 1e-4, as its fields do (`12 of 34 E4`); people do not. */
function inMoney(message: string): string {
  const money = (e4: string): string => `$${decimal(Number(e4))}`;
  return message.replace(/\b(?:([0-9]{1,16}) of )?([0-9]{1,16}) E4\b/g, (_, part: string | undefined, e4: string) =>
    part === undefined ? money(e4) : `${money(part)} of ${money(e4)}`,
  );
}

function refusalsOf(blotter: Blotter, clock: ClockOf, paint: Paint): string {
  if (blotter.refusals.length === 0) return '';
  const rows = blotter.refusals.map((refusal) => [
    clock(refusal.t),
    refusal.plan,
    refusal.clause,
    refusal.code,
    inMoney(refusal.message),
  ]);
  return section('Refused', table(['time', 'plan', 'clause', 'code', 'why'], rows, paint), paint);
}

function totalsOf({ totals, determinismHash }: Blotter, paint: Paint): string {
  const line = [
    `${totals.fired} of ${counted(totals.plans, 'plan')} fired`,
    counted(totals.orders, 'order'),
    counted(totals.fills, 'fill'),
    counted(totals.refusals, 'refusal'),
    `realized ${signed(totals.realizedE4)}`,
    `marked ${signed(totals.markedE4)}`,
    `fees ${decimal(totals.feesE4)}`,
    paint.bold(`net ${gain(totals.netE4, paint)} dollars, ${inR(totals.netR)}`),
  ].join(' · ');
  return `${section('Totals', `  ${line}\n`, paint)}\ndeterminismHash ${determinismHash}\n`;
}

const section = (title: string, body: string, paint: Paint): string => `${paint.bold(title)}\n${body}`;

const gain = (e4: number, paint: Paint): string =>
  e4 > 0 ? paint.gain(signed(e4)) : e4 < 0 ? paint.loss(signed(e4)) : signed(e4);

/** A cell made of our own figures and colours; a bare string may come from a document or a tape. */
interface OwnCell {
  readonly content: string;
  readonly hAlign: 'left' | 'right';
}
const right = (content: string): OwnCell => ({ content, hAlign: 'right' });
const left = (content: string): OwnCell => ({ content, hAlign: 'left' });

type Cell = string | OwnCell;

/** Stable: rows of one instant keep the blotter's order. */
const inTime = (rows: readonly { readonly t: number; readonly cells: Cell[] }[]): Cell[][] =>
  [...rows].sort((a, b) => a.t - b.t).map((row) => row.cells);

const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
} as const;

function table(head: readonly string[], rows: readonly Cell[][], paint: Paint): string {
  const shown = rows.slice(0, REPORT_ROWS_MAX);
  const layout = new Table({
    chars: BARE,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  const numeric = (column: number): boolean =>
    shown.some((row) => typeof row[column] === 'object' && row[column].hAlign === 'right');
  layout.push(head.map((title, i) => (numeric(i) ? right(paint.dim(title)) : paint.dim(title))));
  for (const row of shown) layout.push(row.map((cell) => (typeof cell === 'string' ? oneLine(cell) : cell)));
  const more = rows.length - shown.length;
  const lines = layout
    .toString()
    .split('\n')
    .map((line) => `  ${line.trimEnd()}\n`);
  return `${lines.join('')}${more > 0 ? `  … and ${counted(more, 'row')} more: --json has them all\n` : ''}`;
}
