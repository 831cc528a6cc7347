/** The AI SDK behind the judge's port: one call without its own retries, its errors told apart by what can be done. */
import { isModelFailure, type JudgeModel, type ModelAnswer, type ModelCall, ModelFailure } from '../model.ts';

/** The part of a provider's language model that is used here. */
export interface SdkModel {
  doGenerate(options: SdkCall): PromiseLike<SdkResult>;
}

interface SdkCall {
  prompt: (
    | { role: 'system'; content: string }
    | { role: 'user' | 'assistant'; content: { type: 'text'; text: string }[] }
  )[];
  responseFormat?: { type: 'json'; name: string; schema: Record<string, unknown> };
  maxOutputTokens: number;
  abortSignal: AbortSignal;
}

interface SdkResult {
  content: readonly { type: string; text?: string }[];
  finishReason: { unified: string };
}

export const OUTPUT_TOKENS_MAX = 4_096;

/** @param open makes the provider's model by id */
export function sdkModel(open: (modelId: string) => SdkModel, defaultModel: string): JudgeModel {
  return {
    defaultModel,
    async answer(call) {
      const model = open(call.model);
      try {
        return readResult(await model.doGenerate(toSdk(call, 'constrained')));
      } catch (error) {
        if (!isFormatComplaint(error)) throw failureOf(error, call.signal);
      }
      // Some servers know no output schema. The prompt asks for the same shape, and the reading is as strict.
      try {
        return readResult(await model.doGenerate(toSdk(call, 'free')));
      } catch (error) {
        throw failureOf(error, call.signal);
      }
    },
  };
}

function toSdk(call: ModelCall, output: 'constrained' | 'free'): SdkCall {
  return {
    prompt: [
      { role: 'system', content: call.system },
      ...call.turns.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
    ],
    ...(output === 'constrained'
      ? { responseFormat: { type: 'json' as const, name: 'verdict', schema: call.schema } }
      : {}),
    maxOutputTokens: OUTPUT_TOKENS_MAX,
    abortSignal: call.signal,
  };
}

function readResult({ content, finishReason }: SdkResult): ModelAnswer {
  const text = content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  switch (finishReason.unified) {
    case 'length':
      return { text, finish: 'length' };
    case 'content-filter':
      return { text, finish: 'refusal' };
    case 'stop':
      return { text, finish: 'stop' };
    default:
      return { text, finish: 'other' };
  }
}

/** The SDK's errors, read by shape: its classes may be bundled twice. */
interface SdkError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
  readonly cause?: unknown;
  readonly code?: unknown;
}

function isFormatComplaint(error: unknown): boolean {
  const { statusCode, responseBody } = (error ?? {}) as SdkError;
  return (
    (statusCode === 400 || statusCode === 422) &&
    typeof responseBody === 'string' &&
    /response_format|json_schema|output_config|responseSchema|structured output/i.test(responseBody)
  );
}

function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  for (let cause: unknown = error, depth = 0; cause != null && depth < 8; depth++) {
    if (isModelFailure(cause)) return cause;
    cause = (cause as SdkError).cause;
  }
  const { name, statusCode, responseHeaders } = (error ?? {}) as SdkError;
  // The upstream's own words are left out: some of them quote the key.
  if (typeof statusCode === 'number') {
    const more = { status: statusCode, cause: error };
    if (statusCode >= 200 && statusCode < 300) {
      return new ModelFailure('malformed', 'the model answered with something other than its protocol', more);
    }
    if (statusCode === 429 || statusCode === 408 || statusCode >= 500) {
      const retryAfterMs = retryAfter(responseHeaders?.['retry-after']);
      const waits = retryAfterMs === null ? more : { ...more, retryAfterMs };
      return new ModelFailure('passing', `the model's service answered ${statusCode}`, waits);
    }
    const hint =
      statusCode === 401 || statusCode === 403
        ? '; check its key'
        : statusCode === 404
          ? '; check its address and model name'
          : '';
    return new ModelFailure('unavailable', `the model's service answered ${statusCode}${hint}`, more);
  }
  const code = networkCode(error);
  if (code !== null && /CERT|SSL|TLS/.test(code)) {
    return new ModelFailure(
      'unavailable',
      `the certificate of the model's service is not trusted (${code}); name its authority in NODE_EXTRA_CA_CERTS`,
      { cause: error },
    );
  }
  if (typeof name === 'string' && /^AI_(?!APICall)/.test(name)) {
    return new ModelFailure('malformed', 'the model answered with something other than its protocol', { cause: error });
  }
  return new ModelFailure('passing', `the model's service cannot be reached${code === null ? '' : ` (${code})`}`, {
    cause: error,
  });
}

function networkCode(error: unknown): string | null {
  for (let cause: unknown = error, depth = 0; cause != null && depth < 8; depth++) {
    const { code, cause: deeper } = cause as SdkError;
    if (typeof code === 'string') return code;
    cause = deeper;
  }
  return null;
}

/** Seconds, as nearly every service sends it; a date is read too, against the clock of this machine. */
function retryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - Date.now());
}
