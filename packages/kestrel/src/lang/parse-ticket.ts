// Reading tickets: side, quantity, instrument, and the price with its modifiers.
import { type Cursor, type Draftable, quote } from './cursor.ts';
import type { Anchor, Expiry, Instrument, Modifier, Offset, Price, PriceExpr, Right, Strike, Ticket } from './model.ts';
import { parseTrigger, tryOffset } from './parse-trigger.ts';
import { DATE, MINUS, NONE, NUMBER, PLUS, POINT, TOO_FINE, UNKNOWN_UNIT, WORD } from './scan.ts';
import { anchorNames, isDate } from './vocabulary.ts';

export const modifierWords = ['peg', 'fix', 'cap', 'floor', 'esc', 'cancel-if'] as const;
const priceStart = [...anchorNames, 'a number', 'lean(…)', 'min(…)', 'max(…)', '('];
const sides = ['buy', 'sell'];
const atSign = ['@'];
const expiryOrAt = ['0dte', 'a date', '@'];
const qtyForms = ['a positive whole number'];
const rights = ['C', 'P'];
const rightsOrSlash = ['C', 'P', '/'];
const expiryForms = ['0dte', 'a date'];
const waitForms = ['+', '-', 'a duration such as 30s'];
const groupEnds = ['+', '-', ')'];
const listEnds = ['+', '-', ',', ')'];
const commas = ['+', '-', ','];
const weightForms = ['a weight from 0 to 1'];
const closing = [')'];
const strikeForms = ['a strike', 'ATM', '+1', '-1'];
const instrumentForms = ['shares', ...strikeForms];

export function parseTicket(c: Cursor): Ticket {
  const from = c.i;
  const side = c.option;
  if (side !== 'buy' && side !== 'sell') c.fail(sides);
  c.i++;
  const qtyAt = c.i;
  const qty = takeQty(c);
  const instrument = parseInstrument(c);
  const instrumentEnd = c.i;
  c.takePunct(64, instrument.kind === 'shares' || instrument.expiry !== undefined ? atSign : expiryOrAt);
  const price = parsePrice(c);
  const node: Ticket = c.mark({ side, qty, instrument, price }, from);
  c.part(node, 'qty', qtyAt);
  c.spans.part(node, 'order', c.scan.start[from]!, c.scan.end[instrumentEnd - 1]!);
  return node;
}

function takeQty(c: Cursor): number {
  if (c.isInt && c.scan.value[c.i]! > 0) return c.takeInt(qtyForms);
  if (c.kind !== NUMBER || c.unit === UNKNOWN_UNIT) c.fail(qtyForms);
  c.report('K023', c.i, c.i + 1, `${quote(c.text)} is no quantity: a positive whole number`, { expected: qtyForms });
  c.i++;
  return Number.NaN;
}

function parseInstrument(c: Cursor): Instrument {
  const from = c.i;
  if (c.tryOption('shares')) return c.mark({ kind: 'shares' }, from);
  const first = parseStrike(c, instrumentForms);
  if (c.tryPunct(47)) {
    const short = parseStrike(c, strikeForms);
    const right = takeRight(c, rights);
    const node: Draftable<Instrument & { kind: 'vertical' }> = { kind: 'vertical', long: first, short, right };
    const expiry = tryExpiry(c);
    if (expiry !== undefined) node.expiry = expiry;
    return c.mark(node, from);
  }
  const right = takeRight(c, rightsOrSlash);
  const node: Draftable<Instrument & { kind: 'option' }> = { kind: 'option', strike: first, right };
  const expiry = tryExpiry(c);
  if (expiry !== undefined) node.expiry = expiry;
  return c.mark(node, from);
}

function parseStrike(c: Cursor, expected: readonly string[]): Strike {
  const from = c.i;
  if (c.isHead('ATM')) {
    c.i++;
    return c.mark({ kind: 'atm' }, from);
  }
  if (c.kind !== NUMBER || c.unit !== NONE) c.fail(expected);
  c.requireFit(expected);
  const sign = c.flags & (PLUS | MINUS);
  const e4 = c.scan.value[c.i]!;
  if (sign !== 0) {
    if ((c.flags & POINT) !== 0) c.fail(expected, 'a relative strike counts listed strikes: a whole number');
    if (e4 === 0) {
      c.report('K053', c.i, c.i + 1, `${quote(c.text)} is no strike`, {
        expected,
        hint: 'the strike at the money is ATM',
      });
    }
    c.i++;
    return c.mark({ kind: 'relative', n: sign === PLUS ? e4 / 10_000 : -e4 / 10_000 }, from);
  }
  c.i++;
  return c.mark({ kind: 'absolute', e4 }, from);
}

function takeRight(c: Cursor, expected: readonly string[]): Right {
  const text = c.text;
  if (c.kind !== WORD || (text !== 'C' && text !== 'P')) c.fail(expected);
  c.i++;
  return text as Right;
}

export function tryExpiry(c: Cursor): Expiry | undefined {
  const from = c.i;
  if (c.kind === DATE) {
    const date = c.text;
    if (!isDate(date)) {
      c.report('K053', c.i, c.i + 1, `${quote(date)} is no day of the calendar`, {
        expected: ['a date such as 2025-04-09'],
      });
    }
    c.i++;
    return c.mark({ kind: 'date', date }, from);
  }
  if (c.kind === NUMBER && c.unit === 11) {
    if ((c.flags & (PLUS | MINUS | POINT | TOO_FINE)) !== 0) c.fail(expiryForms);
    c.requireFit(expiryForms);
    c.i++;
    return c.mark({ kind: 'dte', n: c.scan.value[from]! / 10_000 }, from);
  }
  return undefined;
}

export function parsePrice(c: Cursor): Price {
  const from = c.i;
  const expr = parseExpr(c);
  const modifiers: Modifier[] = [];
  for (;;) {
    const modifier = tryModifier(c);
    if (modifier === undefined) break;
    modifiers.push(modifier);
  }
  return c.mark({ expr, modifiers }, from);
}

function tryModifier(c: Cursor): Modifier | undefined {
  const from = c.i;
  const option = c.option;
  switch (option) {
    case 'peg':
    case 'fix':
      c.i++;
      return c.mark({ kind: option }, from);
    case 'cap':
    case 'floor':
      c.i++;
      return c.mark({ kind: option, at: parseExpr(c) }, from);
    case 'esc': {
      c.i++;
      const to = parseExpr(c);
      return c.mark({ kind: 'esc', to, after: c.takeDuration(waitForms) }, from);
    }
    case 'cancel-if':
      c.i++;
      return c.mark({ kind: 'cancel-if', when: parseTrigger(c) }, from);
    default:
      return undefined;
  }
}

export function parseExpr(c: Cursor): PriceExpr {
  const from = c.i;
  const base = parseTerm(c);
  let step = tryOffset(c);
  if (step === undefined) return base;
  const terms: { readonly sign: 1 | -1; readonly offset: Offset }[] = [];
  while (step !== undefined) {
    terms.push(step);
    step = tryOffset(c);
  }
  return c.mark({ kind: 'sum', base, terms }, from);
}

function parseTerm(c: Cursor): PriceExpr {
  const from = c.i;
  if (c.kind === NUMBER) {
    if (c.unit !== NONE || c.flags !== 0) refuseUnit(c);
    return c.mark({ kind: 'number', e4: c.takeNumber(NONE, priceStart) }, from);
  }
  if (c.isPunct(40)) {
    c.openParen();
    const of = parseExpr(c);
    c.closeParen(groupEnds);
    return c.mark({ kind: 'group', of }, from);
  }
  if (c.kind !== WORD) c.fail(priceStart);
  const word = c.option;
  switch (word) {
    case 'lean': {
      c.i++;
      c.openParen();
      const a = parseExpr(c);
      c.takePunct(44, commas);
      const b = parseExpr(c);
      c.takePunct(44, commas);
      const weightAt = c.i;
      const w = c.takeNumber(NONE, weightForms);
      c.closeParen(closing);
      const node: PriceExpr = c.mark({ kind: 'lean', a, b, w }, from);
      c.part(node, 'weight', weightAt);
      return node;
    }
    case 'min':
    case 'max': {
      c.i++;
      c.openParen();
      const args = [parseExpr(c)];
      while (c.tryPunct(44)) args.push(parseExpr(c));
      c.closeParen(listEnds);
      return c.mark({ kind: word, args }, from);
    }
    default:
      if (!isAnchor(word)) c.fail(priceStart);
      c.i++;
      return c.mark({ kind: 'anchor', name: word as Anchor }, from);
  }
}

/** A number that is more than a number: a fault of its own is named first. */
function refuseUnit(c: Cursor): void {
  if (c.flags === POINT && c.unit === NONE) return;
  c.fail(priceStart, c.unit === NONE ? undefined : 'a price is a plain number: 5.2, not $5.20');
}

function isAnchor(word: string): boolean {
  switch (word) {
    case 'fair':
    case 'intrinsic':
    case 'basis':
    case 'bid':
    case 'ask':
    case 'mid':
    case 'last':
    case 'join':
    case 'improve':
    case 'stub':
      return true;
    default:
      return false;
  }
}
