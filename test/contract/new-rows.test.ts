import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createOrganization } from '../support/client.ts';
import { createTask } from '../support/factories/tasks.ts';
import { startClaimed } from '../support/factories/work.ts';
import { useTestApp, usePerson } from '../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);

it('rows that are new were last changed when they were created', async () => {
  const { organization, agentProfiles, chat } = (await createOrganization(owner)).body.data;
  const at = `/organizations/${organization.id}`;
  const shown: Record<string, { createdAt: string; updatedAt: string }>[] = [];
  const alike = (name: string, row: { createdAt: string; updatedAt: string }) => shown.push({ [name]: row });
  alike('organization', organization);
  expect(organization.onboardedAt).toBe(organization.createdAt);
  for (const profile of agentProfiles) alike('built-in profile', profile);
  alike('first chat', chat);
  const profile = { key: 'seo', name: 'SEO', kind: 'department', department: 'growth' };
  alike('profile', (await owner.post(`${at}/agent-profiles`, profile)).body.data);
  const mine = (await owner.post(`${at}/chats`, { title: 'Mine' })).body.data;
  alike('chat', mine);
  const posted = { content: { parts: [{ type: 'text', text: 'Hello' }] }, parts: [{ type: 'text', text: 'Hello' }] };
  await owner.post(`${at}/chats/${mine.id}/messages`, posted);
  const task = await createTask(owner, organization.id);
  alike('task', task as never);
  alike('run request', (await owner.get(`${at}/run-requests?taskId=${task.id}`)).body.data[0]);
  const { runId } = await startClaimed(app, organization.id);
  alike('run', (await owner.get(`${at}/runs/${runId}`)).body.data);
  const child = await createTask(owner, organization.id, { parentRef: task.id, dedupeKey: randomUUID() });
  alike('child', child as never);
  for (const each of shown)
    for (const [name, { createdAt, updatedAt }] of Object.entries(each))
      expect([name, updatedAt]).toEqual([name, createdAt]);
});

it('every table with both times sets them by one clock reading', async () => {
  const { rows } = await app.db.query<{ name: string; default: string }>(
    `select c.table_name || '.' || c.column_name as name, c.column_default as default
     from information_schema.columns c
     where c.table_schema = current_schema() and c.column_name in ('created_at', 'updated_at') and c.column_default is not null
       and (select count(*) from information_schema.columns o where o.table_schema = c.table_schema and o.table_name = c.table_name
            and o.column_name in ('created_at', 'updated_at')) = 2`,
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => row.default !== 'statement_timestamp()')).toEqual([]);
});
