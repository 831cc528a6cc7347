/** Anthropic's messages. */
import { createAnthropic } from '@ai-sdk/anthropic';
import type { JudgeModel } from '../model.ts';
import { NO_KEY, type ProviderAddress } from './address.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { sdkModel } from './sdk.ts';

export function anthropic({ baseUrl, apiKey, model }: ProviderAddress): JudgeModel {
  const provider = createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? NO_KEY, fetch: guardedFetch });
  return sdkModel((id) => provider(id), model);
}
