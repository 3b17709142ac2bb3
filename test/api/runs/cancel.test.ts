import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, createOrganization } from '../../support/client.ts';
import { runRow } from '../../support/factories/engine-rows.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;
let profileId: string;

beforeAll(async () => {
  const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
  organizationId = organization.id;
  profileId = agentProfiles.find(({ key }: { key: string }) => key === 'growth').id;
});

const cancel = (id: string, body?: unknown, headers = {}, client: Client = owner) =>
  client.post(`/organizations/${organizationId}/runs/${id}/cancel`, body, headers);

async function wishes(runId: string) {
  const { rows } = await app.db.query(
    `select r.status, r.cancel_requested_at::text as run, q.cancel_requested_at::text as request, q.requeue_on_cancel as requeue
     from run r join run_request q on q.id = r.run_request_id where r.id = $1`,
    [runId],
  );
  return rows[0] as { status: string; run: string | null; request: string | null; requeue: boolean };
}

describe('POST /organizations/{organizationId}/runs/{id}/cancel: 200', () => {
  it('notes the wish on request and run, and leaves the run alive', async () => {
    const { runId, taskId } = await runRow(app, organizationId, profileId);
    const { status, body } = await cancel(runId);
    expect([status, body.data]).toEqual([200, expect.objectContaining({ id: runId, status: 'running' })]);
    const noted = await wishes(runId);
    expect(noted).toEqual({ status: 'running', run: expect.any(String), request: noted.run, requeue: false });
    const activity = (await owner.get(`/organizations/${organizationId}/activity?verb=run.cancel_requested`)).body.data;
    expect(activity[0]).toMatchObject({ subject: { kind: 'run', id: runId }, details: { taskId, requeue: false } });
  });

  it('keeps the first time when it is asked again', async () => {
    const { runId } = await runRow(app, organizationId, profileId, { run: { status: 'starting' } });
    await cancel(runId, { requeue: true });
    const first = await wishes(runId);
    expect((await cancel(runId, { requeue: true })).status).toBe(200);
    expect(await wishes(runId)).toEqual(first);
  });

  it('is asked once per Idempotency-Key', async () => {
    const { runId } = await runRow(app, organizationId, profileId);
    const key = { 'idempotency-key': randomUUID() };
    const first = await cancel(runId, {}, key);
    const again = await cancel(runId, {}, key);
    expect([again.status, again.headers['idempotent-replayed'], again.body.data]).toEqual([
      200,
      'true',
      first.body.data,
    ]);
  });
});

describe('POST /organizations/{organizationId}/runs/{id}/cancel: 400', () => {
  it.each([{ requeue: 'yes' }, { requeue: 0 }, { unheardOf: 1 }])('refuses %j', async (body) => {
    const { runId } = await runRow(app, organizationId, profileId);
    expect((await cancel(runId, body)).status).toBe(400);
    expect(await wishes(runId)).toMatchObject({ run: null });
  });
});

describe('POST /organizations/{organizationId}/runs/{id}/cancel: 401', () => {
  it('wants an owner', async () => {
    expect((await cancel(randomUUID(), {}, {}, app.service)).status).toBe(401);
  });
});

describe('POST /organizations/{organizationId}/runs/{id}/cancel: 404', () => {
  it('answers `run_not_found`', async () => {
    const { status, body } = await cancel(randomUUID());
    expect([status, body.error.code]).toEqual([404, 'run_not_found']);
  });
});

describe('POST /organizations/{organizationId}/runs/{id}/cancel: 409', () => {
  it.each([true, false])('for another word about the task (first %j)', async (requeue) => {
    const { runId } = await runRow(app, organizationId, profileId);
    await cancel(runId, { requeue });
    const first = await wishes(runId);
    const { status, body } = await cancel(runId, { requeue: !requeue });
    const issue = expect.objectContaining({ path: 'requeue', code: 'cancelled_otherwise' });
    expect([status, body.error]).toEqual([409, { code: 'state_conflict', issues: [issue] }]);
    expect(await wishes(runId)).toEqual(first);
  });

  it.each(['succeeded', 'failed', 'cancelled', 'expired'])('refuses a run that is %s', async (status) => {
    const { runId } = await runRow(app, organizationId, profileId, {
      request: { status: 'completed' },
      run: { status },
    });
    const answer = await cancel(runId);
    expect([answer.status, answer.body.error.code]).toEqual([409, 'state_conflict']);
    expect(await wishes(runId)).toMatchObject({ run: null, request: null });
  });
});
