/** Tokens of a text as the o200k encoding counts them; the table is large, so only who has a budget loads it. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

export const tokensOf = (text: string): number => encode(text).length;
