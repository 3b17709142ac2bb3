import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, createOrganization } from '../../support/client.ts';
import { type RunRow, runRow } from '../../support/factories/engine-rows.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let path: string;
let run: RunRow;

beforeAll(async () => {
  const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
  run = await runRow(app, organization.id, agentProfiles[0].id);
  path = `/organizations/${organization.id}/runs/${run.runId}/logs`;
  const entries = Array.from({ length: 12 }, (_, index) => ({
    sequence: index + 1,
    category: 'tool',
    status: 'info',
    label: `Step ${index + 1}`,
    occurredAt: '2026-03-01T09:30:00Z',
  }));
  const body = { organizationId: organization.id, leaseToken: run.leaseToken, entries };
  expect((await app.service.post(`/internal/runs/${run.runId}/logs`, body)).status).toBe(200);
});

const sequences = ({ body }: Answer): number[] => body.data.map(({ sequence }: { sequence: number }) => sequence);
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('GET /organizations/{organizationId}/runs/{id}/logs: 200', () => {
  it('lists by sequence, on request backwards', async () => {
    expect(sequences(await owner.get(path))).toEqual(upTo(1, 12));
    expect(sequences(await owner.get(`${path}?order=desc`))).toEqual(upTo(1, 12).toReversed());
  });

  it('pages forward and back', async () => {
    const page = (cursor: string) => owner.get(`${path}?limit=5${cursor && `&cursor=${cursor}`}`);
    const first = await page('');
    const second = await page(first.body.pagination.nextCursor);
    const third = await page(second.body.pagination.nextCursor);
    expect([sequences(first), sequences(second), sequences(third)]).toEqual([upTo(1, 5), upTo(6, 10), upTo(11, 12)]);
    expect(second.body.pagination).toMatchObject({ hasPreviousPage: true, previousCursor: null });
    expect(sequences(await page(third.body.pagination.previousCursor))).toEqual(upTo(6, 10));
  });
});

describe('GET /organizations/{organizationId}/runs/{id}/logs: 400', () => {
  it('refuses a cursor of another order, or none of this list', async () => {
    const { nextCursor } = (await owner.get(`${path}?limit=5`)).body.pagination;
    for (const query of [`order=desc&cursor=${nextCursor}`, 'cursor=5', 'limit=201'])
      expect((await owner.get(`${path}?${query}`)).status).toBe(400);
  });
});

describe('GET /organizations/{organizationId}/runs/{id}/logs: 404', () => {
  it('answers `run_not_found` for an unknown run', async () => {
    const { status, body } = await owner.get(path.replace(run.runId, randomUUID()));
    expect([status, body.error.code]).toEqual([404, 'run_not_found']);
  });
});
