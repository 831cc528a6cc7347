/** The methods, one line each. Routes, RPC, OpenAPI and generated clients are made from this list. */
import type { Method } from '../method.ts';
import { feedbackIngest } from './feedback.ingest.ts';
import { judge } from './judge.ts';
import { listRubrics } from './listRubrics.ts';
import { tracesIngest } from './traces.ingest.ts';
import { version } from './version.ts';

export const METHODS: readonly Method[] = [judge, listRubrics, version, feedbackIngest, tracesIngest];
