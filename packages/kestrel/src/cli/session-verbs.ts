/** Verbs over sessions that were played: their rows in the table of the command line. */
import { json, type Operand, type Verb } from './verb.ts';

const session: Operand = { name: 'SESSION', about: 'the id of a session of this store' };

export const SESSION_VERBS: readonly Verb[] = [
  {
    name: 'agent',
    summary: 'the machine face: one JSON request a line in, one response a line out',
    example: `printf '{"op":"describe"}\\n' | kestrel agent`,
    about: 'kestrel agent --help lists every op with its shapes.',
    operands: [],
    options: [
      {
        flag: 'api',
        value: 'URL',
        about: 'the server that answers, or default for the configured one',
        fallback: 'this process',
      },
    ],
  },
  {
    name: 'serve',
    summary: 'the same ops over HTTP, for many clients',
    example: 'kestrel serve --port 8787',
    about: 'Stops on SIGINT and SIGTERM once what runs is answered. Sessions live under KESTREL_HOME.',
    operands: [],
    options: [
      { flag: 'host', value: 'ADDRESS', about: 'where it listens', fallback: '127.0.0.1' },
      { flag: 'port', value: 'PORT', about: 'its port; 0 takes a free one', fallback: '8787' },
      { flag: 'managed', about: 'a catalog subject needs a strategy of the customer' },
      { flag: 'quota-sessions', value: 'N', about: 'sessions a capability may open', fallback: '1000' },
      { flag: 'quota-grades', value: 'N', about: 'grades a capability may ask for', fallback: '1000' },
      { flag: 'quota-datasets', value: 'N', about: 'datasets a capability may upload', fallback: '16' },
      { flag: 'no-trials', about: 'mint no anonymous capabilities' },
    ],
  },
  {
    name: 'mcp',
    summary: 'the same ops as tools of the Model Context Protocol',
    example: 'kestrel mcp',
    about: 'Speaks over standard input and output, or with --port over streamable HTTP.',
    operands: [],
    options: [
      { flag: 'port', value: 'PORT', about: 'serve streamable HTTP at /mcp there instead' },
      { flag: 'host', value: 'ADDRESS', about: 'where it listens', fallback: '127.0.0.1' },
    ],
  },
  {
    name: 'verify',
    summary: 'replay a proof or a session, and name the first leaf that differs',
    example: 'kestrel verify proof.json',
    about:
      'Ends with 0 and `verified`, or with 2. With --key the signature beside the proof (FILE.sig) must be by that key.',
    operands: [{ name: 'PROOF|SESSION', about: "a file of a proof's value, or the id of a session of this store" }],
    options: [
      { flag: 'key', value: 'HEX', about: 'public key of the signer, or a file that holds it' },
      { flag: 'tape', value: 'FILE', about: 'the tape, where neither the catalog nor the store has it' },
      json,
    ],
  },
  {
    name: 'sessions play',
    summary: 'a day of the catalog from briefing to `verified`, passing at every slot',
    example: 'kestrel sessions play range-strict',
    operands: [{ name: 'SUBJECT', about: 'the id of a catalog entry; absent: the usual one', optional: true }],
    options: [json],
  },
  {
    name: 'sessions list',
    summary: 'the sessions of this store',
    example: 'kestrel sessions list',
    operands: [],
    options: [json],
  },
  {
    name: 'sessions show',
    summary: 'what happened in a session, event by event',
    example: 'kestrel sessions show s-0123456789abcdef0123456789abcdef',
    operands: [session],
    options: [json],
  },
  {
    name: 'sessions export',
    summary: 'write the proof of a finalized session, with its signature beside it',
    example: 'kestrel sessions export s-0123456789abcdef0123456789abcdef --out proof.json',
    operands: [session],
    options: [{ flag: 'out', value: 'FILE', about: 'the proof; its signature goes to FILE.sig', required: true }, json],
  },
  {
    name: 'frame',
    summary: 'show a frame of a session as text, Markdown or HTML',
    example: 'kestrel frame s-0123456789abcdef0123456789abcdef --slot 2',
    operands: [
      { name: 'SESSION|FILE', about: 'the id of a session, or a file of a frame or a delivery; - for standard input' },
    ],
    options: [
      { flag: 'slot', value: 'ORDINAL', about: 'the slot whose frame is shown', fallback: 'the last one' },
      { flag: 'format', value: 'FORM', about: 'how', choices: ['text', 'markdown', 'html', 'json'], fallback: 'text' },
      { flag: 'view', value: 'FILE', about: 'a document whose first VIEW says what to show' },
    ],
  },
  {
    name: 'dataset add',
    summary: 'register a tape under a name that a subject may give',
    example: 'kestrel dataset add my-day day.jsonl.gz --checkpoint 10:30 --checkpoint 14:00',
    operands: [
      { name: 'NAME', about: 'lower-case letters, digits, ".", "_" and "-"' },
      { name: 'TAPE', about: 'a tape (.jsonl, .jsonl.gz), or bundled:NAME' },
    ],
    options: [
      {
        flag: 'fill',
        value: 'MODEL',
        about: 'the fill model',
        choices: ['strict-cross-v1', 'maker-v1'],
        fallback: 'strict-cross-v1',
      },
      {
        flag: 'fees',
        value: 'SCHEDULE',
        about: 'the fee schedule',
        choices: ['none', 'us-equity-v1', 'us-options-v1'],
        fallback: 'none',
      },
      { flag: 'r-usd', value: 'DOLLARS', about: 'what 1R is worth, at most 4 decimals', fallback: '100' },
      { flag: 'think-ms', value: 'MS', about: 'market time between an answer and its arming', fallback: '0' },
      { flag: 'checkpoint', value: 'CLOCK', about: 'HH:MM at which a frame is delivered; repeat it', many: true },
      json,
    ],
  },
];
