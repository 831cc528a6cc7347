/** A tape out of a header and columns: for whoever builds a day in code, and for the readers. */
import { identityOf } from './canon.ts';
import type { Columns, Tape } from './columns.ts';
import { headFromPlain, type TapeHead } from './header.ts';

export function tapeOf(head: TapeHead, columns: Columns, identity: string): Tape {
  return {
    id: head.id,
    calendar: head.calendar,
    zone: head.zone,
    date: head.date,
    session: head.session,
    instruments: head.instruments,
    reference: head.reference,
    header: head.header,
    identity,
    columns,
  };
}

/**
 * @param header a `kestrel.tape/v1` header as plain JSON; prices in units of currency
 * @param columns rows in non-decreasing time whose instruments are indices into the header's expanded list
 * @throws TapeRefusal where the header would not be read back
 */
export function tapeFrom(header: Readonly<Record<string, unknown>>, columns: Columns): Tape {
  const head = headFromPlain(header);
  const identity = identityOf({ headerText: head.canonical, instruments: head.instruments, columns });
  return tapeOf(head, columns, identity);
}
