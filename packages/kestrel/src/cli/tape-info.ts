/** `kestrel tape info`: what a tape holds. */
import { jcs } from 'ground/jcs';
import {
  type ChainInfo,
  type QuoteCounts,
  type SymbolInfo,
  type TapeInfo,
  tapeInfo,
  utcToLocal,
} from '../market/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { oneLine } from './failure.ts';
import { clockText, counted, decimal, grouped } from './figures.ts';
import type { Streams } from './streams.ts';
import { openTape } from './tape-source.ts';

export function showInfo({ operands, values }: Arguments, streams: Streams): number {
  const tape = openTape(operands[0]!, streams, values.has('lenient') ? { badLines: 'skip' } : {});
  const info = tapeInfo(tape);
  streams.write(values.has('json') ? `${jcs(info)}\n` : page(info));
  return EXITS.ok;
}

function page(info: TapeInfo): string {
  const clock = (t: number | null): string => (t === null ? 'never' : clockText(utcToLocal(info.zone, t)));
  const kinds = Object.entries(info.kinds)
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => `${kind} ${grouped(n)}`);
  const rows: (readonly [string, string | null])[] = [
    ['tape', info.id],
    ['identity', info.identity],
    ['source', info.source],
    ['licence', info.licence],
    [
      'day',
      `${info.date}, ${info.calendar}, ${clock(info.session.open)} to ${clock(info.session.close)} in ${info.zone}`,
    ],
    ['events', `${grouped(info.events)}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`],
    ['first, last', `${clock(info.firstT)}, ${clock(info.lastT)}`],
    ['outside', `${grouped(info.beforeOpen)} before the open, ${grouped(info.afterClose)} after the close`],
    ['left out', info.skipped === null ? null : JSON.stringify(info.skipped)],
    ['memory', `${grouped(Math.round(info.memoryBytes / 1024))} KiB in columns`],
  ];
  const head = rows.flatMap(([name, text]) => (text === null ? [] : [`${name.padEnd(13)}${oneLine(text)}\n`]));
  return [...head, ...info.symbols.map(symbolPart), ...info.chains.map(chainPart)].join('');
}

function symbolPart({ symbol, kind, session, ...info }: SymbolInfo): string {
  const counts = [
    counted(info.quotes, 'quote'),
    counted(info.trades, 'trade'),
    counted(info.bars, 'bar'),
    counted(info.halts, 'halt'),
    counted(info.suspects, 'suspect'),
  ];
  const price = (e4: number | null): string => (e4 === null ? '-' : decimal(e4));
  const rows: (readonly [string, string])[] = [
    ['events', counts.join(', ')],
    [
      'prices',
      `open ${price(session.openE4)}, high ${price(session.highE4)}, low ${price(session.lowE4)}, last ${price(session.lastE4)}`,
    ],
    ['closes', `prior ${price(info.priorCloseE4)}, official ${price(info.officialCloseE4)}`],
    ['volume', grouped(session.volume)],
    ['quotes', quotesText(session.quotes)],
    ['spread', spreadText(session.spreadE4, decimal)],
    ['bid size', spreadText(session.bidSize, grouped)],
    ['ask size', spreadText(session.askSize, grouped)],
    ['trade size', spreadText(session.tradeSize, grouped)],
    ['gap', spreadText(session.gapUs, (us) => `${us / 1_000} ms`)],
  ];
  return `\n${oneLine(symbol)} (${kind}), in session\n${rows.map(([name, text]) => `  ${name.padEnd(11)}${text}\n`).join('')}`;
}

function chainPart({
  root,
  expiry,
  strikes,
  contracts,
  active,
  quotes,
  trades,
  widest,
  openInterest,
}: ChainInfo): string {
  const lines = [
    `${counted(strikes, 'strike')}, ${counted(contracts, 'contract')}, ${grouped(active)} with events`,
    `${quotesText(quotes)}; ${counted(trades, 'trade')}`,
    ...(widest === null ? [] : [`widest ${decimal(widest.spreadE4)} at ${decimal(widest.strikeE4)} ${widest.right}`]),
    ...(openInterest === null ? [] : [`open interest ${grouped(openInterest)}`]),
  ];
  return `\n${oneLine(root)} ${oneLine(expiry)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

const quotesText = ({ good, oneSided, nonPositive, crossed, locked, suspect }: QuoteCounts): string =>
  `good ${grouped(good)}, one-sided ${grouped(oneSided)}, non-positive ${grouped(nonPositive)}, crossed ${grouped(crossed)}, locked ${grouped(locked)}, suspect ${grouped(suspect)}`;

type Spread = SymbolInfo['session']['spreadE4'];

function spreadText(spread: Spread, text: (n: number) => string): string {
  if (spread === null) return '-';
  const { min, p50, p90, p99, max } = spread;
  return `${text(min)} to ${text(max)}, half at most ${text(p50)}, 90 % ${text(p90)}, 99 % ${text(p99)}`;
}
