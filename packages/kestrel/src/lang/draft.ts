// Statements as far as they were understood, which the semantic pass reads beside whole ones.
import type { DoClause, Plan, Statement } from './model.ts';

/** A plan as far as it was understood: one without `do` never leaves the parser as a `Plan`. */
export type PlanDraft = Omit<Plan, 'do'> & { readonly do?: DoClause };
export type Draft = Exclude<Statement, Plan> | PlanDraft;
