/** The command line: every verb, in the order in which help lists them. */
import { IMPORT_FORMATS } from '../market/index.ts';
import { DETAILS, REGIMES } from '../market/synth/index.ts';
import { SESSION_VERBS } from './session-verbs.ts';
import { TEXT_VERBS } from './text-verbs.ts';
import { json, type Operand, type Option, type Verb } from './verb.ts';

export const FILL_MODELS = ['strict-cross-v1', 'maker-v1', 'bracket'] as const;
export const FEE_SCHEDULES = ['none', 'us-equity-v1', 'us-options-v1'] as const;
export const TAPE_KINDS = ['quote', 'trade', 'oquote', 'otrade', 'bar', 'halt', 'news', 'close', 'oi'] as const;
export const TIME_FORMATS = 's ms us ns iso compact mdy dmy clock ms-of-day date'.split(' ');
export const SECURITIES = ['equity', 'index', 'option', 'indexoption'] as const;
export const RESOLUTIONS = ['tick', 'second', 'minute', 'hour', 'daily'] as const;
export const ROW_KINDS = ['quote', 'trade', 'openinterest'] as const;
export const SYNTH_PROFILES = ['spy', 'ibm', 'bac'] as const;

const tape: Operand = { name: 'TAPE', about: 'a tape (.jsonl, .jsonl.gz), - for standard input, or bundled:NAME' };
const lenient: Option = { flag: 'lenient', about: 'leave out lines that cannot be read, and say how many' };
const out: Option = { flag: 'out', value: 'FILE', about: 'where to, gzipped if it ends in .gz', fallback: 'stdout' };

/** Verbs for people at a terminal. */
export const PEOPLE_VERBS: readonly Verb[] = [
  {
    name: 'run',
    summary: 'run plans over a market day and print the blotter',
    example: 'kestrel run --tape bundled:range --plans plan.kes --fill strict-cross-v1 --r-usd 10000',
    about:
      'The same tape, plans, fill model, fees and R give the same bytes on every machine; the last line is their hash.',
    operands: [],
    options: [
      {
        flag: 'tape',
        value: 'TAPE',
        about: 'the day: a tape file, - or bundled:NAME; repeat it for several days, in their order',
        many: true,
        required: true,
      },
      { flag: 'plans', value: 'FILE', about: 'a document; repeat it for several', many: true, required: true },
      {
        flag: 'fill',
        value: 'MODEL',
        about: 'the fill model; bracket runs three at once',
        choices: FILL_MODELS,
        required: true,
      },
      { flag: 'r-usd', value: 'DOLLARS', about: 'what 1R is worth, at most 4 decimals', required: true },
      { flag: 'fees', value: 'SCHEDULE', about: 'the fee schedule', choices: FEE_SCHEDULES, fallback: 'none' },
      { flag: 'session-r', value: 'R', about: "the session's budget in R", fallback: "no limit beyond the plans'" },
      { flag: 'out', value: 'DIR', about: 'also write blotter.json and report.txt there, whole or not at all' },
      { flag: 'follow', about: 'before the report, the day as a text tape with each fire and fill in its place' },
      lenient,
      json,
    ],
  },
  {
    name: 'demo',
    summary: 'a bundled day and a starter plan, from briefing to blotter',
    example: 'kestrel demo',
    operands: [],
    options: [],
  },
  {
    name: 'tape import',
    summary: "make a tape out of a vendor's files",
    example: 'kestrel tape import ibm/20131007_quote.zip ibm/20131007_trade.zip --out ibm.jsonl.gz',
    about: 'Quotes and trades of one day become one tape, in time order. What a name does not tell, an option says.',
    operands: [{ name: 'SOURCE', about: 'files of one day: zips as LEAN has them, or CSV', many: true }],
    options: [
      {
        flag: 'format',
        value: 'FORMAT',
        about: 'what the files are',
        choices: IMPORT_FORMATS,
        fallback: 'by their bytes',
      },
      { flag: 'map', value: 'COLUMNS', about: 'columns of a CSV, such as t=Time,o=Open,h=High,l=Low,c=Close,v=Volume' },
      {
        flag: 'tz',
        value: 'ZONE',
        about: 'IANA zone of the times, such as America/New_York',
        fallback: "the vendor's",
      },
      {
        flag: 'time-format',
        value: 'FORMAT',
        about: 'how times are written',
        choices: TIME_FORMATS,
        fallback: 'told apart',
      },
      { flag: 'bar', value: 'LENGTH', about: 'length of the bars, such as 1m' },
      { flag: 'stamp', value: 'END', about: "what a bar's time marks", choices: ['start', 'end'], fallback: 'start' },
      { flag: 'price-scale', value: 'POWER', about: '10000 reads 1815200 as 181.52', fallback: '1' },
      { flag: 'round', about: 'round prices of more than 4 decimals; the header says so' },
      { flag: 'sort', about: 'put rows in the order of their times' },
      { flag: 'cut-nanoseconds', about: 'cut times to microseconds' },
      { flag: 'delimiter', value: 'CHAR', about: 'between fields', fallback: 'told apart' },
      { flag: 'symbol', value: 'SYMBOL', about: 'its name', fallback: "the file's" },
      { flag: 'kind', value: 'KIND', about: 'of what a CSV holds', choices: ['equity', 'index'], fallback: 'equity' },
      { flag: 'date', value: 'DATE', about: 'the day, YYYY-MM-DD', fallback: "the file's" },
      { flag: 'security', value: 'KIND', about: 'what a LEAN file holds', choices: SECURITIES, fallback: "the file's" },
      { flag: 'resolution', value: 'STEP', about: 'of a LEAN file', choices: RESOLUTIONS, fallback: "the file's" },
      {
        flag: 'rows',
        value: 'KIND',
        about: 'what the rows of a LEAN file are',
        choices: ROW_KINDS,
        fallback: "the file's",
      },
      { flag: 'calendar', value: 'NAME', about: 'calendar of the exchange', fallback: 'XNYS' },
      { flag: 'tick', value: 'PRICE', about: 'least step of the price', fallback: '0.01' },
      { flag: 'prior-close', value: 'PRICE', about: 'official close of the day before' },
      { flag: 'daily', value: 'FILE', about: 'daily bars, which tell the close of the day before' },
      { flag: 'official-close', about: 'end the tape with the close that --daily tells' },
      { flag: 'actions', value: 'FOLDER', about: 'map_files and factor_files, which tell splits and new names' },
      { flag: 'id', value: 'NAME', about: "the tape's own name", fallback: 'made of symbol, date and step' },
      { flag: 'licence', value: 'TEXT', about: 'what the header says of it' },
      lenient,
      out,
      json,
    ],
  },
  {
    name: 'tape info',
    summary: "a tape's identity, counts, spreads and oddities",
    example: 'kestrel tape info bundled:trend',
    operands: [tape],
    options: [lenient, json],
  },
  {
    name: 'tape synth',
    summary: 'make a seeded synthetic day',
    example: 'kestrel tape synth --seed 7 --date 2024-03-12 --regime range --out day.jsonl.gz',
    about:
      'The same seed and options give the same bytes on every machine, and the header says that the day is synthetic.',
    operands: [],
    options: [
      { flag: 'seed', value: 'SEED', about: 'any text', required: true },
      { flag: 'date', value: 'DATE', about: 'a session of XNYS, YYYY-MM-DD', required: true },
      { flag: 'regime', value: 'REGIME', about: 'the course of the day', choices: REGIMES, required: true },
      { flag: 'symbol', value: 'SYMBOL', about: 'its name', fallback: 'SYN' },
      { flag: 'profile', value: 'NAME', about: 'the share it is fitted to', choices: SYNTH_PROFILES, fallback: 'spy' },
      {
        flag: 'direction',
        value: 'WAY',
        about: 'of a trend, shock or gap',
        choices: ['up', 'down'],
        fallback: "the seed's",
      },
      { flag: 'detail', value: 'DETAIL', about: 'ticks or bars', choices: DETAILS, fallback: 'ticks' },
      { flag: 'events', value: 'COUNT', about: 'rows in ticks', fallback: "the profile's day" },
      { flag: 'prior-close', value: 'PRICE', about: 'official close of the day before', fallback: "the profile's" },
      { flag: 'chain', value: 'EXPIRIES', about: 'an option chain, as in 0dte,7dte', fallback: 'no options' },
      { flag: 'option-quotes', value: 'COUNT', about: 'quotes of its options', fallback: "as the share's rows" },
      out,
      json,
    ],
  },
  {
    name: 'tape cat',
    summary: 'print a tape as canonical JSON Lines',
    example: 'kestrel tape cat bundled:range --kind trade --from 09:30 --to 09:31',
    about: 'The header stands first whatever is left out of the rows.',
    operands: [tape],
    options: [
      {
        flag: 'kind',
        value: 'KIND',
        about: 'only events of this kind; repeat it for several',
        many: true,
        choices: TAPE_KINDS,
      },
      { flag: 'from', value: 'CLOCK', about: 'from this clock on, local to the exchange, HH:MM or HH:MM:SS' },
      { flag: 'to', value: 'CLOCK', about: 'up to and at this clock' },
      { flag: 'limit', value: 'ROWS', about: 'at most so many events' },
      lenient,
    ],
  },
];

export const VERBS: readonly Verb[] = [...Object.values(TEXT_VERBS), ...PEOPLE_VERBS, ...SESSION_VERBS];
