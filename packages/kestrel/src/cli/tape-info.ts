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
    ...info.actions.map((each) => ['actions', actionsText(each)] as const),
    ['left out', info.skipped === null ? null : JSON.stringify(info.skipped)],
    ['memory', `${grouped(Math.round(info.memoryBytes / 1024))} KiB in columns`],
  ];
  const head = rows.flatMap(([name, text]) => (text === null ? [] : [`${name.padEnd(13)}${oneLine(text)}\n`]));
  return [...head, ...info.symbols.map(symbolPart), chainsPart(info.chains)].join('');
}

function actionsText({ symbol, from, list }: TapeInfo['actions'][number]): string {
  const told = list.map((each) => {
    switch (each.kind) {
      case 'split':
        return `split ${each.ratio[0]} for ${each.ratio[1]} on ${each.effective}`;
      case 'rename':
        return `${each.from} became ${each.to} on ${each.effective}`;
      case 'distribution':
        return `${each.amount} paid on ${each.effective}`;
      default:
        return each satisfies never;
    }
  });
  return `${symbol} since ${from}: ${told.length === 0 ? 'none' : told.join(', ')}`;
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

/** The roots one a line, then each expiry. */
function chainsPart(chains: readonly ChainInfo[]): string {
  const byRoot = new Map<string, { readonly expiries: string[]; contracts: number }>();
  for (const { root, expiry, contracts } of chains) {
    const own = byRoot.get(root) ?? { expiries: [], contracts: 0 };
    own.expiries.push(expiry);
    own.contracts += contracts;
    byRoot.set(root, own);
  }
  const roots = [...byRoot].map(([root, { expiries, contracts }]) => {
    const n = expiries.length;
    expiries.sort();
    const span = n === 1 ? expiries[0]! : `${expiries[0]} to ${expiries[n - 1]}`;
    return `\n${oneLine(root)} options: ${grouped(n)} ${n === 1 ? 'expiry' : 'expiries'}, ${span}, ${counted(contracts, 'contract')}\n`;
  });
  return [...roots, ...chains.map(chainPart)].join('');
}

function chainPart(chain: ChainInfo): string {
  const { quotes, share, widestContracts, openInterest } = chain;
  const range = `${decimal(chain.lowestStrikeE4)} to ${decimal(chain.highestStrikeE4)}`;
  const widest = widestContracts.map(
    ({ spreadE4, strikeE4, right }) => `${decimal(spreadE4)} at ${decimal(strikeE4)} ${right}`,
  );
  const percent = (of: number): string => `${(of * 100).toFixed(2)} %`;
  const rows: (readonly [string, string | null])[] = [
    ['strikes', `${grouped(chain.strikes)}, ${range}`],
    ['contracts', `${grouped(chain.contracts)}, ${grouped(chain.active)} with events`],
    ['quotes', quotesText(quotes)],
    ['share', share === null ? null : `one-sided ${percent(share.oneSided)}, crossed ${percent(share.crossed)}`],
    ['outside', chain.outside === 0 ? null : `${counted(chain.outside, 'quote')} before the open or after the close`],
    ['spread', spreadText(chain.spreadE4, decimal)],
    ['widest', widest.length === 0 ? null : widest.join(', ')],
    ['trades', grouped(chain.trades)],
    ['interest', openInterest === null ? null : grouped(openInterest)],
  ];
  const title = `${oneLine(chain.root)} ${oneLine(chain.expiry)} (${chain.style}, settles at the ${chain.settles}), in session`;
  const lines = rows.flatMap(([name, text]) => (text === null ? [] : [`  ${name.padEnd(11)}${text}\n`]));
  return `\n${title}\n${lines.join('')}`;
}

const quotesText = ({ good, oneSided, nonPositive, crossed, locked, suspect }: QuoteCounts): string =>
  `good ${grouped(good)}, one-sided ${grouped(oneSided)}, non-positive ${grouped(nonPositive)}, crossed ${grouped(crossed)}, locked ${grouped(locked)}, suspect ${grouped(suspect)}`;

type Spread = SymbolInfo['session']['spreadE4'];

function spreadText(spread: Spread, text: (n: number) => string): string {
  if (spread === null) return '-';
  const { min, p50, p90, p99, max } = spread;
  return `${text(min)} to ${text(max)}, half at most ${text(p50)}, 90 % ${text(p90)}, 99 % ${text(p99)}`;
}
