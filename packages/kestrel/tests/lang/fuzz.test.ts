// Seeded fuzzers: random text, token soup, and mutations of valid documents.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { cardExample, diagnosticsMax, documentBytesMax, print, validate } from '../../src/lang/index.ts';
import { documentArb } from './arbitrary.ts';
import { checkText, effort } from './invariants.ts';

const words = [
  ...'PLAN WAKE VIEW POD BOOK GRADE IMPORT USING WHEN DO ALSO RELOAD TP EXIT INVALIDATE CANCEL-IF ARM'.split(' '),
  ...'DELIVER OVER FILL FROM VS BY RISK AND OR NOT in budget ttl regime priority signal exec every up down to'.split(
    ' ',
  ),
  ...'frac on halt ride flat peg fix cap floor esc cancel-if held within crosses above below phase time plan'.split(
    ' ',
  ),
  ...'buy sell shares ATM C P fair basis bid mid lean min max spot HOD velocity fills avg_px null ungated'.split(' '),
  ...'a b-1 atomic __proto__ constructor SPY BRK.B T-10 p95 p99.9 day-loss wakes/day tokens coverage cooldown'.split(
    ' ',
  ),
  ...'5150 1.85 $0.50 3c 10% 5bps 2t 2.5x 0.25R 120s 5m 1h 15:55 15:55:30 +45m -2 +1 2025-04-09 2025-04'.split(' '),
  ...'2025-01..2025-06 0dte 0 1 007 1.23456 99999999999 $ % 5zz 25:99 ./a.kestrel ../b'.split(' '),
  ...'( ) [ ] { } , : . .. @ -> - + / > >= < <= == != = ! ^ # ; " \\ é \u0000 \ufeff'.split(' '),
  '#c ',
];

describe('fuzz', () => {
  it('random text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        checkText(text);
      }),
      { numRuns: 1_000 * effort },
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }), (units) => {
        checkText(String.fromCharCode(...units));
      }),
      { numRuns: 300 * effort },
    );
  });

  it('token soup', () => {
    const gap = fc.constantFrom(' ', ' ', ' ', '', '\n', '\n  ', '\n    ', '\r\n', '\t', '\n\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...words), gap), { maxLength: 60 }), (pieces) => {
        checkText(pieces.flat().join(''));
      }),
      { numRuns: 1_200 * effort },
    );
  });

  it('mutations of valid documents', () => {
    let clean = 0;
    let refused = 0;
    const edit = fc.tuple(fc.nat(7), fc.nat(), fc.nat(), fc.constantFrom(...words));
    fc.assert(
      fc.property(
        fc.oneof(documentArb.map(print), fc.constant(cardExample)),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (source, edits) => {
          const text = edits.reduce(mutate, source);
          if (checkText(text) === 'clean') clean++;
          else refused++;
        },
      ),
      { numRuns: 400 * effort },
    );
    // Both outcomes must occur, or the fuzzer looks at one side of the language only.
    assert.ok(clean > 50 && refused > 50, `${clean} clean, ${refused} refused`);
  });

  it('hostile sizes end, and are refused or read', () => {
    const big = documentBytesMax - 200;
    const head = 'PLAN p budget 1R ttl +1m\n  WHEN ';
    const texts = [
      '('.repeat(big),
      `${head}${'('.repeat(big - head.length)}`,
      `${head}${'NOT '.repeat(big / 4 - 20)}`,
      `${head}spot > 1${' AND spot > 1'.repeat(15_000)}\n  DO buy 1 shares @ ${'max(fair,'.repeat(60)}1${')'.repeat(60)}`,
      `${head}${'(NOT '.repeat(63)}${'spot > 1 OR '.repeat(15_000)}spot < 1${')'.repeat(63)}\n  DO buy 1 shares @ 1`,
      `${head}spot > 1\n  DO buy 1 shares @ min(1${',1'.repeat(100_000)})`,
      `${'a\n'.repeat(big / 2)}`,
      `PLAN p budget 1R ttl +1m\n${' x\n'.repeat(big / 3 - 20)}`,
      '#'.repeat(big),
      '#\n'.repeat(big / 2),
      `PLAN p budget 1R ttl +1m\n  DO buy 1 shares @ 1\n${'  #\n'.repeat(60_000)}`,
      'a'.repeat(big),
      'a-'.repeat(big / 2),
      '9'.repeat(big),
      `0.${'9'.repeat(big)}`,
      '1:'.repeat(big / 2),
      '\u0000'.repeat(big),
      '\n'.repeat(big),
      '\ufeff'.repeat(big / 3),
      '\ud800'.repeat(big / 3),
      `VIEW v ${'tape(5m, 1) '.repeat(21_000)}`,
      `GRADE plan a OVER 2025-01..2025-02 FILL bracket\n  BY ${'a.'.repeat(100_000)}a`,
    ];
    for (const text of texts) {
      const started = performance.now();
      const { diagnostics } = validate(text);
      const tookMs = performance.now() - started;
      const shown = `${text.slice(0, 40)}… ${text.length} characters, ${diagnostics.length} diagnostics, ${tookMs} ms`;
      assert.ok(tookMs < 4_000, shown);
      assert.ok(diagnostics.length <= 2 * diagnosticsMax + 1, shown);
    }
  });
});

function mutate(text: string, [kind, at, length, word]: [number, number, number, string]): string {
  const i = text.length === 0 ? 0 : at % text.length;
  const n = 1 + (length % 6);
  switch (kind) {
    case 0:
      return text.slice(0, i) + text.slice(i + n);
    case 1:
      return text.slice(0, i) + text.slice(i, i + n) + text.slice(i);
    case 2:
      return `${text.slice(0, i)} ${word} ${text.slice(i)}`;
    case 3:
      return text.slice(0, i) + word + text.slice(i + n);
    case 4: {
      const lines = text.split('\n');
      lines.splice(i % lines.length, 1);
      return lines.join('\n');
    }
    case 5: {
      const lines = text.split('\n');
      const from = i % lines.length;
      lines.splice(length % lines.length, 0, lines[from]!);
      return lines.join('\n');
    }
    case 6: {
      const lines = text.split('\n');
      lines[i % lines.length] = ' '.repeat(length % 5) + lines[i % lines.length]!.trimStart();
      return lines.join('\n');
    }
    default:
      return text.replace('  ', ['\t', ' ', '\n', '\n      '][length % 4]!);
  }
}
