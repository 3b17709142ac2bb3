import type { Statement } from '../../src/kernel/database/index.ts';
import type { TestApp } from './test-app.ts';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
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
  return explainAs(app, { role: 'br_dispatch', organizationId: '' }, query, generic, before);
}

/** How a statement runs as the application sees it in an organization; nothing stays. */
export function explainIn(app: TestApp, organizationId: string, query: Statement, generic: boolean): Promise<Plan> {
  return explainAs(app, { role: 'br_app', organizationId }, query, generic);
}

async function explainAs(
  app: TestApp,
  { role, organizationId }: { readonly role: string; readonly organizationId: string },
  { text, values }: Statement,
  generic: boolean,
  before: readonly Statement[] = [],
): Promise<Plan> {
  const client = await app.db.connect();
  try {
    await client.query('begin');
    await client.query(`select set_config('role', $1, true), set_config('app.org', $2, true)`, [role, organizationId]);
    await client.query(`set local plan_cache_mode = ${generic ? 'force_generic_plan' : 'auto'}`);
    for (const other of before) await client.query(other.text, [...other.values]);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${text}`, [
      ...values,
    ]);
    return rows[0]!['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('rollback');
    client.release();
  }
}
