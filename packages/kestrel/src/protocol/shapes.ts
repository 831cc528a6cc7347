/** The shapes of the protocol, once: requests are checked with them, and describe, docs, MCP and HTTP come from them. */
import { z } from 'zod';

const text = z.string();
const whole = z.int();
const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const r = z.string().describe('R with six decimals');

// ---------------------------------------------------------------- arguments: closed

export const CatalogRef = z.strictObject({ kind: z.literal('catalog'), id: text }).meta({ id: 'CatalogRef' });
export const DatasetRef = z
  .strictObject({ kind: z.literal('dataset'), source: text, dataset: text })
  .meta({ id: 'DatasetRef' });
export const OpenedRef = z.strictObject({ kind: z.literal('session'), id: text }).meta({ id: 'OpenedRef' });
export const SessionRef = z.discriminatedUnion('kind', [CatalogRef, DatasetRef, OpenedRef]).meta({ id: 'SessionRef' });

export const AuthoredResponse = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('authored'), document: text }),
    z.strictObject({ kind: z.literal('pass') }),
    z.strictObject({ kind: z.literal('stand-down'), reason: text }),
  ])
  .meta({ id: 'AuthoredResponse' });

export const BoundResponse = z
  .strictObject({
    sessionId: text,
    ordinal: z.int().min(1),
    parentHash: text,
    frameRoot: text,
    body: AuthoredResponse,
  })
  .meta({ id: 'BoundResponse' });

export const EventCursor = z.strictObject({ sequence: count, token: text }).meta({ id: 'EventCursor' });

// ---------------------------------------------------------------- values: open, so that a field may be added

export const Diagnostic = z
  .object({
    code: text,
    severity: z.enum(['error', 'warning']),
    message: text,
    span: z.object({ start: count, end: count, line: whole, column: whole }),
    expected: z.array(text).optional(),
    hint: text.optional(),
  })
  .meta({ id: 'Diagnostic' });

export const ValidateOutcome = z
  .object({ ok: z.boolean(), diagnostics: z.array(Diagnostic) })
  .meta({ id: 'ValidateOutcome' });

export const Pins = z
  .object({
    engine: text,
    tape: hash,
    document: hash.nullable(),
    fill: text,
    fees: text,
    rUsdE4: whole,
    thinkMs: whole.nullable(),
    subject: text.nullable(),
  })
  .meta({ id: 'Pins' });

export const CatalogEntry = z
  .object({
    id: text,
    title: text,
    briefing: text,
    pins: Pins,
    session: z.object({ open: whole, close: whole }),
    instruments: z.array(z.object({ symbol: text, kind: text, tickE4: whole })),
    checkpoints: z.array(text),
    strategy: text,
    blinded: z.boolean(),
  })
  .meta({ id: 'CatalogEntry' });

const nullable = whole.nullable();

export const Nearest = z
  .object({ clause: text, t: nullable, distance: z.number().nullable(), unit: text, blockedBy: text })
  .meta({ id: 'Nearest' });

export const Why = z.enum(['open', 'checkpoint', 'wake', 'fill', 'plan-end', 'close']);

export const Frame = z
  .object({
    v: z.literal('kestrel.frame/v1'),
    t: whole,
    date: text.nullable(),
    clock: text,
    phase: text,
    minutesToClose: whole,
    why: Why,
    wake: text.nullable(),
    symbols: z.array(
      z.object({
        symbol: text,
        kind: text,
        lastE4: nullable,
        bidE4: nullable,
        bidSize: nullable,
        askE4: nullable,
        askSize: nullable,
        changeBps: nullable,
        asOf: nullable,
      }),
    ),
    tape: z.array(
      z.object({
        symbol: text,
        d: text,
        anchorE4: nullable,
        anchorT: nullable,
        keyFrame: z.boolean(),
        candles: z.array(z.object({ t: whole, o: whole, h: whole, l: whole, c: whole, z: whole })),
      }),
    ),
    levels: z.array(
      z.object({
        name: text,
        symbol: text,
        valueE4: whole,
        source: z.enum(['observed', 'calculated', 'detected', 'modelled']),
        asOf: whole,
      }),
    ),
    chain: z.array(
      z.object({
        contract: text,
        bidE4: nullable,
        askE4: nullable,
        fairE4: nullable,
        receipt: text,
        ivPct: text.nullable(),
        asOf: nullable,
      }),
    ),
    plans: z.array(
      z.object({
        name: text,
        state: text,
        reason: text.nullable(),
        arming: z.boolean(),
        nearest: Nearest.nullable(),
      }),
    ),
    news: z.array(z.object({ t: whole, text })),
    kernel: z.object({
      positions: z.array(z.object({ plan: text, instrument: text, qty: whole, basisE4: whole })),
      resting: z.array(
        z.object({
          plan: text,
          order: whole,
          side: z.enum(['buy', 'sell']),
          qty: whole,
          instrument: text,
          limitE4: nullable,
        }),
      ),
      budgetLeftR: z.record(text, r),
      sessionLeftR: r.nullable(),
      realizedR: r,
      wakesLeft: z.record(text, whole),
    }),
  })
  .meta({ id: 'Frame' });

export const Slot = z
  .object({ sessionId: text, ordinal: whole, parentHash: hash, frameRoot: hash })
  .meta({ id: 'Slot' });

export const Delivery = z
  .object({ slot: Slot, why: Why, wake: text.optional(), frame: Frame, repairsLeft: whole })
  .meta({ id: 'Delivery' });

export const TurnReceipt = z
  .object({
    ordinal: whole,
    hash,
    verdict: z.enum(['armed', 'passed', 'stood-down', 'refused']),
    plans: z.array(text),
    diagnostics: z.array(Diagnostic),
  })
  .meta({ id: 'TurnReceipt' });

export const SessionResponse = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('pending'), turn: TurnReceipt, delivery: Delivery }),
    z.object({ state: z.literal('ended'), turn: TurnReceipt, reason: text }),
  ])
  .meta({ id: 'SessionResponse' });

export const BlotterFill = z
  .object({
    seq: whole,
    t: whole,
    order: whole,
    side: z.enum(['buy', 'sell']),
    qty: whole,
    priceE4: whole,
    instrument: text,
    cause: text,
    event: whole,
    sizeSeen: whole,
    queueAhead: whole.optional(),
  })
  .meta({ id: 'BlotterFill' });

export const SessionEvent = z
  .discriminatedUnion('kind', [
    z.object({
      sequence: whole,
      t: whole,
      kind: z.literal('session/opened'),
      value: z.object({ pins: Pins, genesis: hash }),
    }),
    z.object({ sequence: whole, t: whole, kind: z.literal('session/frame'), value: Delivery }),
    z.object({
      sequence: whole,
      t: whole,
      kind: z.literal('session/turn'),
      value: z.object({
        ordinal: whole,
        parentHash: hash,
        frameRoot: hash,
        body: AuthoredResponse,
        receipt: TurnReceipt,
      }),
    }),
    z.object({
      sequence: whole,
      t: whole,
      kind: z.literal('session/fill'),
      value: BlotterFill.extend({ plan: text }).meta({ id: 'PlanFill' }),
    }),
    z.object({
      sequence: whole,
      t: whole,
      kind: z.literal('session/plan'),
      value: z.object({ plan: text, kind: text, detail: text.optional() }),
    }),
    z.object({
      sequence: whole,
      t: whole,
      kind: z.literal('session/finalized'),
      value: z.object({ tipHash: hash, conformanceRoot: hash, determinismHash: hash, artifacts: z.array(text) }),
    }),
  ])
  .meta({ id: 'SessionEvent' });

export const SessionTranscript = z
  .object({
    sessionId: text,
    state: z.enum(['opened', 'pending', 'ended', 'finalized']),
    events: z.array(SessionEvent),
    cursor: EventCursor,
  })
  .meta({ id: 'SessionTranscript' });

export const Blotter = z
  .object({
    v: z.literal('kestrel.blotter/v1'),
    pins: Pins,
    plans: z.array(
      z.object({
        name: text,
        state: text,
        reason: text.nullable(),
        armedAt: nullable,
        firedAt: nullable,
        orders: z.array(
          z.object({
            id: whole,
            clause: text,
            side: z.enum(['buy', 'sell']),
            qty: whole,
            instrument: text,
            limitE4: nullable,
            createdAt: whole,
            arrivedAt: nullable,
            state: text,
          }),
        ),
        fills: z.array(BlotterFill),
        costE4: whole,
        feesE4: whole,
        realizedE4: whole,
        markedE4: whole,
        netE4: whole,
        netR: r,
        worstR: r,
        bestR: r,
        nearest: Nearest.optional(),
        openQty: whole,
        markE4: whole.optional(),
        openAtClose: text.optional(),
        feeLines: z.array(z.object({ name: text, e4: whole })),
        events: z.array(z.object({ t: whole, kind: text, detail: text.optional() })),
      }),
    ),
    refusals: z.array(z.object({ t: whole, plan: text, clause: text, code: text, message: text })),
    totals: z.object({
      plans: whole,
      fired: whole,
      orders: whole,
      fills: whole,
      refusals: whole,
      realizedE4: whole,
      markedE4: whole,
      feesE4: whole,
      netE4: whole,
      netR: r,
    }),
    determinismHash: hash,
  })
  .meta({ id: 'Blotter' });

export const Finalized = z
  .object({ blotter: Blotter, sessionId: text, tipHash: hash, conformanceRoot: hash, artifacts: z.array(text) })
  .meta({ id: 'Finalized' });

export const Offer = z
  .object({
    kind: z.literal('quota'),
    resource: z.enum(['sessions', 'grades', 'datasets']),
    used: whole,
    limit: whole,
    resetsAt: whole.optional(),
    price: z.object({ amount: text, currency: text }).optional(),
    how: text,
  })
  .meta({ id: 'Offer' });

export const Opened = z.discriminatedUnion('gated', [
  z.object({ gated: z.literal(false), sessionId: text }),
  z.object({ gated: z.literal(true), payment: Offer }),
]);

export const GradeOutcome = z
  .object({
    n: whole,
    subjects: z.array(
      z.object({
        blotter: text,
        tipHash: hash,
        trades: whole,
        totalR: r,
        expectancyR: r,
        hitRate: z.object({ value: z.number(), lo: z.number(), hi: z.number() }).nullable(),
        maxDrawdownR: r,
        feesR: r,
        vsNull: z.object({ draws: whole, percentile: z.number(), p: z.number() }),
      }),
    ),
    totalR: r,
    expectancyR: r,
    interval: z.object({ lo: z.number(), hi: z.number(), level: z.number() }).nullable(),
    claim: z.enum(['none', 'supported', 'not-supported']),
    notes: z.array(text),
  })
  .meta({ id: 'GradeOutcome' });

export const GatedGrade = z.discriminatedUnion('gated', [
  z.object({ gated: z.literal(false), value: GradeOutcome }),
  z.object({ gated: z.literal(true), payment: Offer }),
]);

export const ArtifactResult = z.object({ ref: text, kind: text, value: z.unknown() }).meta({ id: 'ArtifactResult' });

export const OperationResumption = z
  .object({
    operationId: text,
    op: text,
    state: z.enum(['running', 'done', 'failed']),
    events: z.array(SessionEvent),
    cursor: EventCursor,
    value: z.unknown().optional(),
  })
  .meta({ id: 'OperationResumption' });

export const AgentOpSchema = z
  .object({
    op: text,
    session: z.boolean(),
    args: text,
    emits: text,
    argsSchema: z.record(text, z.unknown()),
    emitsSchema: z.record(text, z.unknown()),
  })
  .meta({ id: 'AgentOpSchema' });

export const Described = z.object({ protocol: text, ops: z.array(AgentOpSchema) });
