import { asDispatch, asSubject } from '../../../src/kernel/tenancy/index.ts';
import type { Statement } from '../../../src/kernel/database/index.ts';
import type { TestApp } from '../test-app.ts';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** A plan's nodes from the top. */
export function* nodes(plan: Plan): Generator<Plan> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodes(child);
}

/** How a statement runs as the dispatch role sees it, behind others of its transaction; nothing stays. */
export function explain(
  app: TestApp,
  query: Statement,
  generic: boolean,
  ...before: readonly Statement[]
): Promise<Plan> {
  return explainBehind(app, [asDispatch(), ...before], query, generic);
}

/** How a statement runs as the application sees it in an organization; nothing stays. */
export function explainIn(app: TestApp, organizationId: string, query: Statement, generic: boolean): Promise<Plan> {
  return explainBehind(app, [asSubject('', organizationId)], query, generic);
}

async function explainBehind(
  app: TestApp,
  context: readonly Statement[],
  { text, values }: Statement,
  generic: boolean,
): Promise<Plan> {
  const client = await app.db.connect();
  try {
    await client.query('begin');
    for (const each of context) await client.query(each.text, [...each.values]);
    await client.query(`set local plan_cache_mode = ${generic ? 'force_generic_plan' : 'auto'}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${text}`, [
      ...values,
    ]);
    return rows[0]!['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('rollback');
    client.release();
  }
}
