/** OpenAI-compatible chat completions, wherever they are served. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { JudgeModel } from '../model.ts';
import type { ProviderAddress } from './address.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { sdkModel } from './sdk.ts';

export function openaiCompatible({ baseUrl, apiKey, model }: ProviderAddress): JudgeModel {
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: baseUrl,
    ...(apiKey === null ? {} : { apiKey }),
    supportsStructuredOutputs: true,
    fetch: guardedFetch,
  });
  return sdkModel((id) => provider(id), model);
}
