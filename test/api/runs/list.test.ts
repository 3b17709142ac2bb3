import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, createOrganization } from '../../support/client.ts';
import { type RunRow, runRow, taskRow } from '../../support/factories/engine-rows.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let path: string;
let growth: string;
let operator: string;
let taskId: string;
let runs: RunRow[];

const at = (minute: number) => `2026-03-01T09:${String(minute).padStart(2, '0')}:00.123456Z`;

beforeAll(async () => {
  const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
  const profileOf = (key: string): string => agentProfiles.find((each: { key: string }) => each.key === key).id;
  [growth, operator] = [profileOf('growth'), profileOf('operator')];
  path = `/organizations/${organization.id}/runs`;
  taskId = await taskRow(app, organization.id, growth, {});
  const ended = { status: 'completed' };
  runs = [
    await runRow(app, organization.id, growth, {
      taskId,
      request: ended,
      run: { status: 'failed', created_at: at(1), updated_at: at(9) },
    }),
    // Two of one moment stand in the order of their ids.
    await runRow(app, organization.id, growth, {
      taskId,
      request: ended,
      run: { status: 'expired', created_at: at(2) },
    }),
    await runRow(app, organization.id, operator, { request: ended, run: { status: 'succeeded', created_at: at(2) } }),
    await runRow(app, organization.id, growth, { taskId, run: { status: 'running', created_at: at(3) } }),
  ];
  const [first, a, b, last] = runs as [RunRow, RunRow, RunRow, RunRow];
  runs = [first, ...(a.runId < b.runId ? [a, b] : [b, a]), last];
});

const ids = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);
const oldestFirst = () => runs.map(({ runId }) => runId);

describe('GET /organizations/{organizationId}/runs: 200', () => {
  it('lists newest first, on request oldest first', async () => {
    expect(ids(await owner.get(path))).toEqual(oldestFirst().toReversed());
    expect(ids(await owner.get(`${path}?order=asc`))).toEqual(oldestFirst());
  });

  it('pages forward and back', async () => {
    const page = (cursor: string) => owner.get(`${path}?limit=1${cursor && `&cursor=${cursor}`}`);
    const seen: string[] = [];
    let answer = await page('');
    const cursors: string[] = [];
    for (;;) {
      seen.push(...ids(answer));
      const { nextCursor } = answer.body.pagination;
      if (!nextCursor) break;
      cursors.push(nextCursor);
      answer = await page(nextCursor);
    }
    expect(seen).toEqual(oldestFirst().toReversed());
    expect(answer.body.pagination.previousCursor).toBe(cursors.at(-2));
  });

  it.each([
    ['status=failed&status=expired', (run: RunRow) => run.taskId === taskId && run !== runs[3]],
    ['', () => true],
  ])('filters by %s', async (query, wanted) => {
    expect(ids(await owner.get(`${path}?order=asc&${query}`))).toEqual(runs.filter(wanted).map(({ runId }) => runId));
  });

  it('filters by task, profile and window', async () => {
    expect(ids(await owner.get(`${path}?taskId=${taskId}`))).toHaveLength(3);
    expect(ids(await owner.get(`${path}?agentProfileId=${operator}`))).toHaveLength(1);
    expect(ids(await owner.get(`${path}?createdAfter=${at(2)}`))).toEqual([runs[3]!.runId]);
    expect(ids(await owner.get(`${path}?createdBefore=${at(2)}`))).toEqual([runs[0]!.runId]);
    expect(ids(await owner.get(`${path}?updatedBefore=${at(10)}`))).toEqual([runs[0]!.runId]);
    expect(ids(await owner.get(`${path}?taskId=${randomUUID()}`))).toEqual([]);
  });

  it('shows the lease of a live run only, and no receipts', async () => {
    const { body } = await owner.get(`${path}?order=asc`);
    expect(body.data.map(({ leaseExpiresAt }: { leaseExpiresAt: string | null }) => leaseExpiresAt !== null)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(body.data[0]).not.toHaveProperty('receipts');
  });
});

describe('GET /organizations/{organizationId}/runs: 400', () => {
  it('refuses a cursor of other filters, and unknown words', async () => {
    const { nextCursor } = (await owner.get(`${path}?limit=1`)).body.pagination;
    for (const query of [`cursor=${nextCursor}&status=failed`, 'status=done', 'taskId=1', 'limit=0', 'unheardOf=1'])
      expect([query, (await owner.get(`${path}?${query}`)).status]).toEqual([query, 400]);
  });
});

describe('GET /organizations/{organizationId}/runs: 404', () => {
  it('answers `organization_not_found` to those who are no member', async () => {
    const { status, body } = await (await app.person()).get(path);
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});
