/** Google's generative language service. */
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { JudgeModel } from '../model.ts';
import { NO_KEY, type ProviderAddress } from './address.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { sdkModel } from './sdk.ts';

export function google({ baseUrl, apiKey, model }: ProviderAddress): JudgeModel {
  const provider = createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: apiKey ?? NO_KEY, fetch: guardedFetch });
  return sdkModel((id) => provider(id), model);
}
