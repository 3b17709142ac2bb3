import type { TestApp } from '../test-app.ts';

/** The id of a profile by its key. */
export async function profileOf(app: TestApp, organizationId: string, key = 'growth'): Promise<string> {
  const { rows } = await app.db.query<{ id: string }>(
    `select id from agent_profile where organization_id = $1 and key = $2 and deleted_at is null`,
    [organizationId, key],
  );
  return rows[0]!.id;
}
