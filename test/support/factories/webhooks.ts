import { randomUUID } from 'node:crypto';
import type { Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';

export interface MadeWebhook {
  readonly id: string;
  readonly secret: string;
  readonly at: string;
}

export async function createWebhook(
  owner: Client,
  organizationId: string,
  url: string,
  events: readonly string[] = ['task.ended'],
): Promise<MadeWebhook> {
  const { status, text, body } = await owner.post(`/organizations/${organizationId}/webhooks`, { url, events });
  if (status !== 201) throw new Error(`No webhook: ${text}`);
  const { id, secret } = body.data;
  return { id, secret, at: `/organizations/${organizationId}/webhooks/${id}` };
}

/** An event of the outbox, as the end of a task leaves it. */
export async function recordEvents(app: TestApp, organizationId: string, count = 1): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await app.db.query(
    `insert into outbox_event (organization_id, kind, id, payload, recorded_at)
     select $1, 'webhooks', id, jsonb_build_object('verb', 'task.completed',
       'actor', '{"kind": "system", "id": "system", "name": "test"}'::jsonb,
       'subject', jsonb_build_object('kind', 'task', 'id', id, 'label', 'OPS-1 A task'), 'details', '{}'::jsonb),
       clock_timestamp()
     from unnest($2::uuid[]) id`,
    [organizationId, ids],
  );
  return ids;
}
