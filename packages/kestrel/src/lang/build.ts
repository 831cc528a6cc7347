// Building models in code: text fragments to nodes, and joins that add the parentheses their parts need.
import { Cursor, stop } from './cursor.ts';
import type { Duration, Price, Ticket, Trigger } from './model.ts';
import { parsePrice, parseTicket } from './parse-ticket.ts';
import { parseTrigger } from './parse-trigger.ts';
import { scan } from './scan.ts';
import { Spans } from './spans.ts';
import { checkTriggerModel, ModelFault } from './wellformed.ts';

/** `spot crosses below 5150 AND time >= 09:45` */
export function triggerOf(text: string): Trigger {
  return fragment(text, 'a trigger', parseTrigger);
}

/** `lean(bid, fair, 0.5) cap 1.20` */
export function priceOf(text: string): Price {
  return fragment(text, 'a price', parsePrice);
}

/** `buy 1 ATM P 0dte @ fair - 2c` */
export function ticketOf(text: string): Ticket {
  return fragment(text, 'a ticket', parseTicket);
}

export function and(...parts: readonly Trigger[]): Trigger {
  return checked({ kind: 'and', of: parts.map((part) => (isJunction(part) ? parens(part) : part)) });
}

export function or(...parts: readonly Trigger[]): Trigger {
  return checked({ kind: 'or', of: parts.map((part) => (part.kind === 'or' ? parens(part) : part)) });
}

export function not(part: Trigger): Trigger {
  const bare = !isJunction(part) && part.kind !== 'not' && !isTimed(part);
  return checked({ kind: 'not', of: bare ? part : parens(part) });
}

export function held(part: Trigger, duration: Duration): Trigger {
  return checked({ kind: 'held', of: isJunction(part) || isTimed(part) ? parens(part) : part, duration });
}

export function within(part: Trigger, duration: Duration): Trigger {
  return checked({ kind: 'within', of: isJunction(part) || isTimed(part) ? parens(part) : part, duration });
}

function isJunction(trigger: Trigger): boolean {
  return trigger.kind === 'and' || trigger.kind === 'or';
}

function isTimed(trigger: Trigger): boolean {
  return trigger.kind === 'held' || trigger.kind === 'within';
}

function parens(of: Trigger): Trigger {
  return { kind: 'paren', of };
}

function checked(trigger: Trigger): Trigger {
  checkTriggerModel(trigger);
  return trigger;
}

function fragment<T>(text: string, what: string, read: (c: Cursor) => T): T {
  const tokens = scan(text);
  const c = new Cursor(tokens, new Spans(tokens.lineStart.slice(0, tokens.lineCount), tokens.count >> 1));
  c.enter(0, tokens.count);
  try {
    const node = read(c);
    c.finish([]);
    if (!c.clauseFlawed) return node;
  } catch (thrown) {
    if (thrown !== stop) throw thrown;
  }
  throw new ModelFault({
    path: what,
    expected: c.diagnostics[0]?.message ?? what,
    got: JSON.stringify(text.slice(0, 80)),
  });
}
