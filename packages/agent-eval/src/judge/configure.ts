/** Which model judges, out of the environment given. The SDKs load only when a model is really opened. */
import type { JudgeModel } from './model.ts';
import type { ProviderAddress } from './providers/address.ts';

export type ProviderKind = 'openai-compatible' | 'anthropic' | 'google';

export type ModelChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'replay'; readonly path: string; readonly model: string | null }
  | ({ readonly kind: 'provider'; readonly provider: ProviderKind } & ProviderAddress);

/** A setting that cannot be meant. */
export class ModelSettingError extends Error {
  override readonly name = 'ModelSettingError';
}

const HOME: Record<ProviderKind, { readonly baseUrl: string; readonly model: string }> = {
  'openai-compatible': { baseUrl: 'https://api.openai.com/v1', model: 'gpt-5-mini' },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', model: 'claude-sonnet-4-6' },
  google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', model: 'gemini-2.5-flash' },
};

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `AGENT_EVAL_LLM_*` first, then `OPENAI_*`, then `ANTHROPIC_API_KEY`. Address and key come from the same family, so
 * that no key goes to another's address. `AGENT_EVAL_LLM_MODEL` names the model whichever family is used.
 * @throws ModelSettingError
 */
export function chooseModel(env: Env): ModelChoice {
  const set = (name: string): string | null => env[name]?.trim() || null;
  const model = set('AGENT_EVAL_LLM_MODEL');
  const provider = set('AGENT_EVAL_LLM_PROVIDER');
  const baseUrl = set('AGENT_EVAL_LLM_BASE_URL');
  const apiKey = set('AGENT_EVAL_LLM_API_KEY');
  if (provider?.startsWith('replay:')) return { kind: 'replay', path: provider.slice('replay:'.length), model };
  if (baseUrl !== null || apiKey !== null) {
    const kind = providerKind(provider ?? 'openai-compatible');
    return choice(kind, { baseUrl, apiKey, model });
  }
  const kind = provider === null ? null : providerKind(provider);
  const openai = {
    baseUrl: set('OPENAI_BASE_URL'),
    apiKey: set('OPENAI_API_KEY'),
    model: model ?? set('OPENAI_MODEL'),
  };
  if ((kind ?? 'openai-compatible') === 'openai-compatible' && (openai.baseUrl ?? openai.apiKey) !== null) {
    return choice('openai-compatible', openai);
  }
  const anthropicKey = set('ANTHROPIC_API_KEY');
  if ((kind ?? 'anthropic') === 'anthropic' && anthropicKey !== null) {
    return choice('anthropic', { baseUrl: null, apiKey: anthropicKey, model });
  }
  return { kind: 'none' };
}

/** Loads the one provider chosen. @throws Error when a record cannot be read */
export async function openModel(choice: Exclude<ModelChoice, { kind: 'none' }>): Promise<JudgeModel> {
  if (choice.kind === 'replay') {
    const { replayFile } = await import('./providers/replay.ts');
    const model = replayFile(choice.path);
    return choice.model === null ? model : { ...model, defaultModel: choice.model };
  }
  switch (choice.provider) {
    case 'openai-compatible':
      return (await import('./providers/openai-compatible.ts')).openaiCompatible(choice);
    case 'anthropic':
      return (await import('./providers/anthropic.ts')).anthropic(choice);
    case 'google':
      return (await import('./providers/google.ts')).google(choice);
    default:
      return choice.provider satisfies never;
  }
}

function providerKind(name: string): ProviderKind {
  switch (name) {
    case 'openai-compatible':
    case 'openai':
      return 'openai-compatible';
    case 'anthropic':
    case 'google':
      return name;
    default:
      throw new ModelSettingError(
        `AGENT_EVAL_LLM_PROVIDER is openai-compatible, anthropic, google or replay:FILE, got "${name.slice(0, 80)}"`,
      );
  }
}

function choice(
  provider: ProviderKind,
  given: { baseUrl: string | null; apiKey: string | null; model: string | null },
): ModelChoice {
  const baseUrl = given.baseUrl ?? HOME[provider].baseUrl;
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new ModelSettingError(`a model's base URL is an http or https address, got "${baseUrl.slice(0, 200)}"`);
  }
  const model = given.model ?? HOME[provider].model;
  return { kind: 'provider', provider, baseUrl: baseUrl.replace(/\/+$/, ''), apiKey: given.apiKey, model };
}
