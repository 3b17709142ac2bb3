import { beforeAll, describe, expect, it } from '@jest/globals';
import { firstChat } from '../../support/factories/chats.ts';
import { taskRow } from '../../support/factories/engine-rows.ts';
import { profileOf } from '../../support/factories/profiles.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** Rows of 600 KB each, as artifacts with long summaries make them; 9 MB a list. */
const ROWS = 15;
const ARTIFACTS = 100;
const MAX_PAGE = 8_000_000;

const { app, owner, organization } = useOrganization();
let chatId: string;

beforeAll(async () => {
  chatId = await firstChat(app, organization.id);
  const profileId = await profileOf(app, organization.id);
  const named = { kind: 'document', name: 'Document', path: 'document.md' };
  const artifact = { ...named, uri: `https://files.example/${'u'.repeat(1_900)}`, summary: 's'.repeat(4_000) };
  const result = { kind: 'completed', summary: 'Done.', artifacts: Array.from({ length: ARTIFACTS }, () => artifact) };
  for (let n = 0; n < ROWS; n += 1)
    await taskRow(app, organization.id, profileId, { status: 'completed', title: `Task ${n}`, result });
  await app.db.query(
    `insert into run_request (organization_id, id, task_id, agent_profile_id, mode, status, execution_class, priority, dedupe_key,
       task_version, task_graph_revision, ready, available_at, max_attempts)
     select t.organization_id, t.id, t.id, t.owner_agent_profile_id, 'execute', 'completed', 'standard', 0, '', 1, 1, true, now(), 3
     from task t where t.organization_id = $1`,
    [organization.id],
  );
  await app.db.query(
    `insert into run (organization_id, id, task_id, run_request_id, agent_profile_id, attempt, mode, status, task_version,
       catalog_revision, model, worker_id, lease_token_hash, lease_expires_at, capability_expires_at, output)
     select t.organization_id, t.id, t.id, t.id, t.owner_agent_profile_id, 1, 'execute', 'succeeded', 1, '', 'm', 'w', '', now(), now(),
       jsonb_build_object('kind', 'task_result', 'result', t.result)
     from task t where t.organization_id = $1`,
    [organization.id],
  );
  // Characters that take six bytes each in JSON.
  await app.db.query(
    `insert into message (organization_id, id, chat_id, role, status, parts)
     select $1, gen_random_uuid(), $2, 'user', 'complete',
       jsonb_build_array(jsonb_build_object('id', 'p1', 'kind', 'text', 'text', repeat(chr(1), 100000)))
     from generate_series(1, $3::int)`,
    [organization.id, chatId, ROWS],
  );
}, 60_000);

const LISTS: readonly [string, () => string][] = [
  ['tasks', () => `/organizations/${organization.id}/tasks?limit=200`],
  ['tasks of a status', () => `/organizations/${organization.id}/tasks?limit=200&status=completed&order=asc`],
  ['runs', () => `/organizations/${organization.id}/runs?limit=200`],
  ['messages', () => `/organizations/${organization.id}/chats/${chatId}/messages?limit=200`],
];

describe('pages end early once they hold some 4 MB', () => {
  it.each(LISTS)('%s', async (_name, path) => {
    const sizes: number[] = [];
    const ids: string[] = [];
    const starts: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const answer = await owner.get(path() + (cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`));
      expect(answer.status).toBe(200);
      sizes.push(Buffer.byteLength(answer.text));
      ids.push(...answer.body.data.map(({ id }: { id: string }) => id));
      const { pagination } = answer.body;
      expect(pagination.hasNextPage).toBe(pagination.nextCursor !== null);
      starts.push(cursor);
      // Back from a page is the page before, or the start.
      if (starts.length > 1) expect(pagination).toMatchObject({ hasPreviousPage: true });
      cursor = pagination.nextCursor;
    } while (cursor !== null);
    expect([ids.length, new Set(ids).size]).toEqual([ROWS, ROWS]);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE);
  });

  it('and the way back leads over all of them', async () => {
    const path = `/organizations/${organization.id}/tasks?limit=200`;
    const ids = async (cursor: string | null): Promise<string[]> => {
      const answer = await owner.get(path + (cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`));
      return answer.body.data.map(({ id }: { id: string }) => id);
    };
    const second = (await owner.get(path)).body.pagination.nextCursor as string;
    const third = (await owner.get(`${path}&cursor=${encodeURIComponent(second)}`)).body.pagination
      .nextCursor as string;
    const { pagination, data } = (await owner.get(`${path}&cursor=${encodeURIComponent(third)}`)).body;
    const before = await ids(pagination.previousCursor);
    expect(before.length).toBeGreaterThan(0);
    const [first] = data as { id: string }[];
    const next = (await owner.get(`${path}&cursor=${encodeURIComponent(pagination.previousCursor)}`)).body.pagination;
    // What follows the page before is our page.
    expect((await ids(next.nextCursor))[0]).toBe(first!.id);
  });
});
