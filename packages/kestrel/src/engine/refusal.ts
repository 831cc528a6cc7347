/** What the engine will not run: said before it runs anything, save an amount that only the day can make too large. */

export type EngineCode =
  | 'not-supported'
  | 'bad-arg'
  | 'amount-range'
  /** Days between which a share changed in a way that a plan or a position cannot follow. */
  | 'corporate-action'
  /** A contract's last day is missing among the tapes, or has no price to settle to. */
  | 'no-settlement'
  | 'K010'
  | 'K011'
  | 'K021'
  | 'K020';

export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  readonly code: EngineCode;
  readonly expected: string | undefined;
  readonly got: string | undefined;

  constructor(code: EngineCode, message: string, shape: { readonly expected?: string; readonly got?: string } = {}) {
    super(message);
    this.code = code;
    this.expected = shape.expected;
    this.got = shape.got;
  }
}
