// Arbitraries of the language: well-formed documents of every statement, clause, price and trigger, for any test.
import fc from 'fast-check';
import type {
  Book,
  Clock,
  Comment,
  Commented,
  Duration,
  Expiry,
  Grade,
  GradeClause,
  Instrument,
  KestrelDocument,
  Modifier,
  NumberOperand,
  Offset,
  Operand,
  Pane,
  Percentile,
  Plan,
  PlanClause,
  Price,
  PriceExpr,
  Series,
  SeriesArg,
  Statement,
  Strike,
  Ticket,
  Trigger,
  Ttl,
  Using,
  UsingClause,
} from '../../src/lang/index.ts';
import {
  anchorNames,
  armStates,
  dimensions,
  fillModels,
  type PaneRow,
  panes,
  phases,
  planStates,
  regimes,
  type SeriesRow,
  series,
} from '../../src/lang/index.ts';

type Arb<T> = fc.Arbitrary<T>;

/** The same value with ordinary prototypes, which is what the parser makes. */
function plain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(plain) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)])) as T;
}

/** Leaves out the fields that are undefined, as the parser does. */
function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}

function maybe<T>(arb: Arb<T>): Arb<T | undefined> {
  return fc.option(arb, { nil: undefined, freq: 2 });
}

/** Names that look like words of the grammar as often as not: words are contextual. */
export const nameArb: Arb<string> = fc.oneof(
  fc.constantFrom('on', 'p95', 'budget', 'in', 'plan', 'held', 'buy', 'phase', 'priority', 'regime', 'signal', 'a'),
  fc.constantFrom('fade-flush', 'spot-3c', 'x1', 'constructor', 'prototype', 'tape', 'null', 't-10', 'every', 'up'),
  fc.stringMatching(/^[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,4}){0,2}$/).filter((name) => name !== 'atomic'),
);

export const symbolArb: Arb<string> = fc.oneof(
  fc.constantFrom(
    'SPY',
    'SPX',
    'BRK.B',
    'BTC/USD',
    'ES-H25',
    'A^B',
    'X9.C2',
    'OR',
    'PEG',
    'CAP',
    'ATM',
    'C',
    'P',
    'T-10',
  ),
  fc.stringMatching(/^[A-Z][A-Z0-9]{0,4}([./^-][A-Z0-9]{1,3}){0,2}$/),
);

export const commentArb: Arb<Comment> = fc
  .oneof(
    fc.constantFrom(
      '#',
      '# why',
      '## PLAN x budget 1R',
      '#\u00e9\u{1f600}',
      '# tab\tin it',
      '# -> # @',
      '#\ufeffmark',
      '#\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `#${text}`),
  )
  .map((text) => text.replace(/\n/g, ' ').replace(/[ \t\r]+$/, ''));

const commentsArb = fc.array(commentArb, { minLength: 1, maxLength: 3 });

const commentedArb: Arb<Commented> = fc
  .record({
    leading: fc.option(commentsArb, { nil: undefined, freq: 4 }),
    trailing: fc.option(commentArb, { nil: undefined, freq: 4 }),
  })
  .map(compact<Commented>);

const e4Arb = fc.oneof(
  fc.integer({ min: 0, max: 100 }).map((n) => n * 10_000),
  fc.integer({ min: 0, max: 200_000_000 }),
  fc.constantFrom(0, 1, 10, 100, 1_000, 10_000, 10_000_000_000_000),
);
const countArb = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(10_000));
const intArb = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(1_000_000_000));

export const durationArb: Arb<Duration> = fc.record({
  n: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.constantFrom(120)),
  unit: fc.constantFrom('s', 'm', 'h'),
});

export const clockArb: Arb<Clock> = fc
  .record({
    kind: fc.constant('clock' as const),
    h: fc.integer({ min: 0, max: 23 }),
    m: fc.integer({ min: 0, max: 59 }),
    s: maybe(fc.integer({ min: 0, max: 59 })),
  })
  .map(compact<Clock>);

const monthArb = fc
  .tuple(fc.integer({ min: 1990, max: 2035 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, month]) => `${year}-${String(month).padStart(2, '0')}`);
const dateArb = fc
  .tuple(monthArb, fc.integer({ min: 1, max: 28 }))
  .map(([month, day]) => `${month}-${String(day).padStart(2, '0')}`);

const expiryArb: Arb<Expiry> = fc.oneof(
  fc.record({ kind: fc.constant('dte' as const), n: fc.integer({ min: 0, max: 45 }) }),
  fc.record({ kind: fc.constant('date' as const), date: dateArb }),
);

const offsetArb: Arb<Offset> = fc.record({ unit: fc.constantFrom('c', '$', '%', 'bps', 't'), e4: e4Arb });
const stepArb = fc.record({ sign: fc.constantFrom<1 | -1>(1, -1), offset: offsetArb });

// ---------------------------------------------------------------- prices and tickets

export const exprArb: Arb<PriceExpr> = fc.letrec<{ expr: PriceExpr; term: PriceExpr }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'price' },
    fc.record({ kind: fc.constant('anchor' as const), name: fc.constantFrom(...anchorNames) }),
    fc.record({ kind: fc.constant('number' as const), e4: e4Arb }),
    fc.record({
      kind: fc.constant('lean' as const),
      a: tie('expr'),
      b: tie('expr'),
      w: fc.integer({ min: 0, max: 10_000 }),
    }),
    fc.record({
      kind: fc.constantFrom('min' as const, 'max' as const),
      args: fc.array(tie('expr'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('group' as const), of: tie('expr') }),
  ),
  expr: fc.oneof(
    { weight: 3, arbitrary: tie('term') },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('sum' as const),
        base: tie('term'),
        terms: fc.array(stepArb, { minLength: 1, maxLength: 3 }),
      }),
    },
  ),
})).expr;

const modifierArb: Arb<Modifier> = fc.oneof(
  fc.record({ kind: fc.constantFrom('peg' as const, 'fix' as const) }),
  fc.record({ kind: fc.constantFrom('cap' as const, 'floor' as const), at: exprArb }),
  fc.record({ kind: fc.constant('esc' as const), to: exprArb, after: durationArb }),
  fc.record({ kind: fc.constant('cancel-if' as const), when: fc.constant(null).chain(() => triggerArb) }),
);

export const priceArb: Arb<Price> = fc.record({ expr: exprArb, modifiers: fc.array(modifierArb, { maxLength: 2 }) });

const strikeArb: Arb<Strike> = fc.oneof(
  fc.record({ kind: fc.constant('absolute' as const), e4: e4Arb }),
  fc.record({ kind: fc.constant('atm' as const) }),
  fc.record({
    kind: fc.constant('relative' as const),
    n: fc.integer({ min: -20, max: 20 }).map((n) => (n === 0 ? 1 : n)),
  }),
);

export const instrumentArb: Arb<Instrument> = fc.oneof(
  fc.record({ kind: fc.constant('shares' as const) }),
  fc
    .record({
      kind: fc.constant('option' as const),
      strike: strikeArb,
      right: fc.constantFrom('C' as const, 'P' as const),
      expiry: maybe(expiryArb),
    })
    .map(compact<Instrument & { kind: 'option' }>),
  fc
    .record({
      kind: fc.constant('vertical' as const),
      long: strikeArb,
      short: strikeArb,
      right: fc.constantFrom('C' as const, 'P' as const),
      expiry: maybe(expiryArb),
    })
    .map(compact<Instrument & { kind: 'vertical' }>),
);

export const ticketArb: Arb<Ticket> = fc.record({
  side: fc.constantFrom('buy', 'sell'),
  qty: fc.integer({ min: 1, max: 500 }),
  instrument: instrumentArb,
  price: priceArb,
});

// ---------------------------------------------------------------- triggers

function argsArb(kinds: readonly ('count' | 'duration')[]): Arb<SeriesArg[]> {
  return fc.tuple(
    ...kinds.map(
      (kind): Arb<SeriesArg> =>
        kind === 'count'
          ? fc.record({ kind: fc.constant('int' as const), n: countArb })
          : fc.record({ kind: fc.constant('duration' as const), duration: durationArb }),
    ),
  );
}

const anyArgArb: Arb<SeriesArg> = fc.oneof(
  fc.record({ kind: fc.constant('int' as const), n: intArb }),
  fc.record({ kind: fc.constant('duration' as const), duration: durationArb }),
  fc.record({ kind: fc.constant('word' as const), word: fc.constantFrom('SPY', 'held', 'a-b', 'AND', 'x_1') }),
);

export const seriesArb: Arb<Series> = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom<SeriesRow>(...series.values())
        .chain((row) => argsArb(row.args).map((args) => ({ name: row.name, args }))),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        name: fc.constantFrom('unknown', 'foo.bar', 'x_y', 'WHEN2', 'peg', 'a.b.c', 'spot-3c', 'WHEN', 'p', 'T', 'cap'),
        args: fc.array(anyArgArb, { maxLength: 2 }),
      }),
    },
  )
  .chain(({ name, args }) =>
    fc
      .record({
        kind: fc.constant('series' as const),
        name: fc.constant(name),
        args: fc.constant(args as readonly SeriesArg[]),
        symbol: fc.option(symbolArb, { nil: undefined, freq: 5 }),
        offset: fc.option(stepArb, { nil: undefined, freq: 5 }),
      })
      .map(compact<Series>),
  );

const numberArb: Arb<NumberOperand> = fc
  .record({
    kind: fc.constant('number' as const),
    e4: fc.tuple(e4Arb, fc.boolean()).map(([e4, negative]) => (negative && e4 !== 0 ? -e4 : e4)),
    unit: fc.option(fc.constantFrom('c', '$', '%', 'bps', 't', 'x', 'R'), { nil: undefined, freq: 3 }),
  })
  .map(compact<NumberOperand>);

const operandArb: Arb<Operand> = fc.oneof(seriesArb, numberArb);
const percentileArb: Arb<Percentile> = fc.record({
  kind: fc.constant('percentile' as const),
  e4: fc.oneof(fc.constantFrom(950_000, 999_000, 0, 1_000_000), fc.integer({ min: 0, max: 1_000_000 })),
});

const conditionArb: Arb<Trigger> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    left: operandArb,
    cmp: fc.constantFrom('>', '>=', '<', '<=', '==', '!='),
    right: fc.oneof(
      { weight: 4, arbitrary: operandArb as Arb<Operand | Percentile> },
      { weight: 1, arbitrary: percentileArb },
    ),
  }),
  fc.record({
    kind: fc.constant('crosses' as const),
    left: operandArb,
    dir: fc.constantFrom('above', 'below'),
    right: operandArb,
  }),
  fc.record({ kind: fc.constant('phase' as const), phase: fc.constantFrom(...phases) }),
  fc.record({ kind: fc.constant('to-close' as const), minutes: fc.integer({ min: 0, max: 400 }) }),
  fc.record({ kind: fc.constant('time' as const), cmp: fc.constantFrom('>=', '<', '=='), clock: clockArb }),
  fc.record({ kind: fc.constant('plan' as const), plan: nameArb, state: fc.constantFrom(...planStates) }),
) as Arb<Trigger>;

export const triggerArb: Arb<Trigger> = fc.letrec<{
  trigger: Trigger;
  conj: Trigger;
  unary: Trigger;
  bare: Trigger;
  basic: Trigger;
}>((tie) => ({
  basic: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'trigger' },
    { weight: 4, arbitrary: conditionArb },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('paren' as const), of: tie('trigger') }) },
  ),
  bare: fc.oneof(
    { weight: 4, arbitrary: tie('basic') },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), of: tie('basic') }) },
  ),
  unary: fc.oneof(
    { weight: 3, arbitrary: tie('bare') },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('held' as const, 'within' as const),
        of: tie('bare'),
        duration: durationArb,
      }),
    },
  ),
  conj: fc.oneof(
    { weight: 4, arbitrary: tie('unary') },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('and' as const),
        of: fc.array(tie('unary'), { minLength: 2, maxLength: 3 }),
      }),
    },
  ),
  trigger: fc.oneof(
    { weight: 4, arbitrary: tie('conj') },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('or' as const),
        of: fc.array(tie('conj'), { minLength: 2, maxLength: 3 }),
      }),
    },
  ),
})).trigger;

// ---------------------------------------------------------------- statements

function withComments<T extends object>(arb: Arb<T>): Arb<T & Commented> {
  return fc.tuple(arb, commentedArb).map(([node, comments]) => ({ ...node, ...comments }));
}

const clauseArb: Arb<PlanClause> = withComments(
  fc.oneof(
    fc.record({ kind: fc.constant('also' as const), ticket: ticketArb }),
    fc.record({ kind: fc.constant('reload-when' as const), when: triggerArb, ticket: ticketArb }),
    fc
      .record({
        kind: fc.constant('reload-every' as const),
        step: offsetArb,
        dir: fc.constantFrom('up', 'down'),
        upTo: countArb,
        ticket: maybe(ticketArb),
      })
      .map(compact<Extract<PlanClause, { kind: 'reload-every' }>>),
    fc
      .record({
        kind: fc.constant('tp' as const),
        multiple: e4Arb,
        frac: maybe(fc.integer({ min: 1, max: 10_000 })),
        price: priceArb,
      })
      .map(compact<Extract<PlanClause, { kind: 'tp' }>>),
    fc.record({ kind: fc.constant('exit' as const), when: triggerArb, price: priceArb }),
    fc
      .record({
        kind: fc.constant('invalidate' as const),
        when: triggerArb,
        mode: maybe(fc.constantFrom('ride', 'flat')),
      })
      .map(compact<Extract<PlanClause, { kind: 'invalidate' }>>),
    fc.record({ kind: fc.constant('cancel-if' as const), when: triggerArb }),
    fc
      .record({ kind: fc.constant('arm' as const), plan: nameArb, on: maybe(fc.constantFrom(...armStates)) })
      .map(compact<Extract<PlanClause, { kind: 'arm' }>>),
  ) as Arb<PlanClause>,
) as Arb<PlanClause>;

const usingArb: Arb<UsingClause> = fc
  .record({ signal: symbolArb, exec: symbolArb, expiry: maybe(expiryArb) })
  .map(compact<UsingClause>);

const ttlArb: Arb<Ttl> = fc.oneof(
  clockArb as Arb<Ttl>,
  fc.record({ kind: fc.constant('relative' as const), duration: durationArb }),
);

const regimeArb = fc
  .uniqueArray(fc.oneof(fc.constantFrom(...regimes.keys()), nameArb), { minLength: 1, maxLength: 3 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.record({ key: fc.constant(key), value: nameArb }))));

const planArb: Arb<Omit<Plan, 'blank'>> = fc
  .record({
    kind: fc.constant('plan' as const),
    name: nameArb,
    book: maybe(nameArb),
    budget: e4Arb,
    ttl: ttlArb,
    regime: maybe(regimeArb),
    priority: maybe(intArb),
    using: fc.option(withComments(usingArb), { nil: undefined, freq: 4 }),
    when: fc.option(withComments(fc.record({ kind: fc.constant('when' as const), when: triggerArb })), {
      nil: undefined,
      freq: 4,
    }),
    do: withComments(fc.record({ kind: fc.constant('do' as const), ticket: ticketArb })),
    clauses: fc.array(clauseArb, { maxLength: 4 }),
  })
  .map(compact<Omit<Plan, 'blank'>>);

const paneArb: Arb<Pane> = fc.oneof(
  fc
    .constantFrom<PaneRow>(...panes.values())
    .chain((row) => argsArb(row.args).map((args) => ({ word: row.name, args }))),
  fc.record({ word: fc.constantFrom('budget', 'x', 'Pane_2', 'tokens'), args: fc.array(anyArgArb, { maxLength: 2 }) }),
);

const bookArb: Arb<Book> = withComments(
  fc.record({ name: nameArb, budget: e4Arb, coverage: fc.array(symbolArb, { minLength: 1, maxLength: 3 }) }),
);

const gradeClauseArb: Arb<GradeClause> = withComments(
  fc.oneof(
    fc.record({ kind: fc.constant('vs' as const), versus: fc.constantFrom('null' as const, 'ungated' as const) }),
    fc.record({ kind: fc.constant('vs' as const), versus: fc.constant('plan' as const), plan: nameArb }),
    fc.record({
      kind: fc.constant('by' as const),
      dims: fc.array(fc.oneof(fc.constantFrom<string>(...dimensions), fc.constantFrom('x', 'a.b.c')), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  ) as Arb<GradeClause>,
) as Arb<GradeClause>;

const gradeArb: Arb<Omit<Grade, 'blank'>> = fc
  .record({
    kind: fc.constant('grade' as const),
    subject: fc.constantFrom('plan', 'wake', 'pod'),
    name: nameArb,
    range: fc.oneof(fc.tuple(dateArb, dateArb), fc.tuple(monthArb, monthArb)),
    fill: fc.oneof(fc.constantFrom(...fillModels.keys()), nameArb),
    clauses: fc.array(gradeClauseArb, { maxLength: 3 }),
  })
  .map(({ range, ...rest }) => ({ ...rest, from: range[0], to: range[1] }) as Omit<Grade, 'blank'>);

const statementArb: Arb<Statement> = fc
  .tuple(
    fc.oneof(
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('import' as const),
          names: fc.array(nameArb, { minLength: 1, maxLength: 3 }),
          path: fc.constantFrom('./a.kestrel', '../b/c-1.kestrel', './x/../y', './5m', './a.b_c'),
        }) as Arb<object>,
      },
      { weight: 1, arbitrary: usingArb.map((using) => ({ kind: 'using', ...using }) as Omit<Using, 'blank'>) },
      { weight: 4, arbitrary: planArb },
      {
        weight: 2,
        arbitrary: fc
          .record({
            kind: fc.constant('wake' as const),
            name: nameArb,
            when: triggerArb,
            deliver: nameArb,
            priority: maybe(intArb),
            perDay: maybe(intArb),
            cooldown: maybe(durationArb),
          })
          .map(compact<object>),
      },
      {
        weight: 1,
        arbitrary: fc
          .record({
            kind: fc.constant('view' as const),
            name: nameArb,
            tokens: maybe(intArb),
            panes: fc.array(paneArb, { minLength: 1, maxLength: 4 }),
          })
          .map(compact<object>),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('pod' as const),
          name: nameArb,
          dayLoss: e4Arb,
          books: fc.array(bookArb, { maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: gradeArb },
    ),
    commentedArb,
    fc.option(commentsArb, { nil: undefined, freq: 6 }),
    fc.boolean(),
  )
  .map(([node, comments, dangling, blank]) => compact<Statement>({ ...node, ...comments, dangling, blank } as never));

/** Whole documents: well formed, so that they print and re-parse to equal objects; not all of them validate. */
export const documentArb: Arb<KestrelDocument> = fc
  .record({
    statements: fc.array(statementArb, { maxLength: 5 }),
    dangling: fc.option(commentsArb, { nil: undefined, freq: 6 }),
  })
  .map(({ statements, dangling }) =>
    plain(
      compact<KestrelDocument>({
        statements: statements.map((statement, k) => (k === 0 ? { ...statement, blank: false } : statement)),
        dangling,
      }),
    ),
  );

/** Every comment of a document, in no particular order. */
export function commentsOf(document: KestrelDocument): Comment[] {
  const found: Comment[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const { leading, trailing, dangling } = value as {
        leading?: Comment[];
        trailing?: Comment;
        dangling?: Comment[];
      };
      found.push(...(leading ?? []), ...(trailing === undefined ? [] : [trailing]), ...(dangling ?? []));
      Object.values(value).forEach(visit);
    }
  };
  visit(document);
  return found;
}

/** The document without comments and blank lines: what it says. */
export function bare<T>(value: T): T {
  if (Array.isArray(value)) return value.map(bare) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !['leading', 'trailing', 'dangling', 'blank'].includes(key));
  return Object.fromEntries(kept.map(([key, child]) => [key, bare(child)])) as T;
}
