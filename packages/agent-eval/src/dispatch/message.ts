/** What a driver and a worker say to each other at /dispatch: one attempt at one cell, and its artifact. */

/** Bytes of a request or an answer. */
export const DISPATCH_BYTES_MAX = 10 * 1024 * 1024;
export const DISPATCH_PATH = '/dispatch';

/** What identifies an attempt. `runAttemptId` reaches the worker as it was given, so that its results can be fenced. */
export interface DispatchPlace {
  readonly cellId: string;
  readonly runAttemptId: string;
  /** Repetition, from 0. */
  readonly rep: number;
  readonly seed: number;
  readonly generation?: number;
  readonly placement?: unknown;
  readonly cycleId?: string;
}

export interface DispatchContext extends DispatchPlace {
  /** Aborts when the driver has gone, or its own time is up. */
  readonly signal: AbortSignal;
}

/** Runs one scenario. The same shape on both sides, so that a worker can be called here or elsewhere. */
export type Dispatch<Scenario = unknown, Artifact = unknown> = (
  scenario: Scenario,
  context: DispatchContext,
) => Promise<Artifact>;

export interface DispatchRequest extends DispatchPlace {
  readonly scenario: unknown;
}

/** Whether callers must show a token. There is no default: an open worker is a decision. */
export type DispatchAuth = { readonly kind: 'bearer'; readonly token: string } | { readonly kind: 'off' };

/** @returns the fault as a sentence, or null for a request that can be run */
export function requestFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'a JSON object is wanted';
  const { scenario, cellId, runAttemptId, rep, seed, generation, cycleId } = value as Record<string, unknown>;
  if (scenario === undefined) return 'scenario is missing';
  if (!isText(cellId)) return 'cellId must be a text that is not empty';
  if (!isText(runAttemptId)) return 'runAttemptId must be a text that is not empty';
  if (!isWhole(rep)) return 'rep must be a whole number from 0';
  if (typeof seed !== 'number' || !Number.isSafeInteger(seed)) return 'seed must be a whole number';
  if (generation !== undefined && !isWhole(generation)) return 'generation must be a whole number from 0';
  if (cycleId !== undefined && !isText(cycleId)) return 'cycleId must be a text that is not empty';
  return null;
}

/** The parts of a checked request that place it, with nothing else that came along. */
export function placeOf(request: DispatchRequest): DispatchPlace {
  const { cellId, runAttemptId, rep, seed, generation, placement, cycleId } = request;
  return {
    cellId,
    runAttemptId,
    rep,
    seed,
    ...(generation === undefined ? {} : { generation }),
    ...(placement === undefined ? {} : { placement }),
    ...(cycleId === undefined ? {} : { cycleId }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
