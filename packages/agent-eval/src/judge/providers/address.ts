/** Where a model is and what opens it. The two come from one family of settings, always. */

export interface ProviderAddress {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
}

/**
 * Said in place of an absent key: the SDKs would otherwise look for one in the environment by themselves, and send it
 * to whatever address is configured.
 */
export const NO_KEY = 'none';
