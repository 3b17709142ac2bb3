import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let id: string;
beforeEach(async () => {
  id = await organizationOf(owner);
});

const read = () => owner.get(`/organizations/${id}/work-dispatch`);
const set = (status: unknown) => owner.put(`/organizations/${id}/work-dispatch`, { status });
async function verbs(): Promise<string[]> {
  const { body } = await owner.get(
    `/organizations/${id}/activity?verb=work_dispatch.stopped&verb=work_dispatch.resumed&order=asc`,
  );
  return body.data.map(({ verb }: { verb: string }) => verb);
}

const RUNNING = { status: 'running', workDispatchStoppedAt: null, queuedRunRequests: 0, runningRuns: 0 };

describe('GET /organizations/{organizationId}/work-dispatch: 200', () => {
  it('says that work is handed out', async () => {
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(body.data).toEqual(RUNNING);
  });
});

describe('PUT /organizations/{organizationId}/work-dispatch: 200', () => {
  it('stops and resumes, each once', async () => {
    expect((await set('running')).body.data).toEqual(RUNNING);
    expect(await verbs()).toEqual([]);

    const stopped = await set('stopped');
    expect(stopped.status).toBe(200);
    expect(stopped.body.data).toMatchObject({
      status: 'stopped',
      workDispatchStoppedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
    expect((await set('stopped')).body.data).toEqual(stopped.body.data);
    expect((await read()).body.data).toEqual(stopped.body.data);
    const organization = (await owner.get(`/organizations/${id}`)).body.data;
    expect(organization.workDispatchStoppedAt).toBe(stopped.body.data.workDispatchStoppedAt);
    expect(organization.updatedAt > organization.createdAt).toBe(true);
    expect(await verbs()).toEqual(['work_dispatch.stopped']);

    expect((await set('running')).body.data).toEqual(RUNNING);
    expect((await set('running')).body.data).toEqual(RUNNING);
    expect(await verbs()).toEqual(['work_dispatch.stopped', 'work_dispatch.resumed']);
  });

  it('is stopped once by two at once', async () => {
    const [one, other] = await Promise.all([set('stopped'), set('stopped')]);
    expect(one.status).toBe(200);
    expect(one.body.data).toEqual(other.body.data);
    expect(await verbs()).toEqual(['work_dispatch.stopped']);
  });
});

describe('PUT /organizations/{organizationId}/work-dispatch: 400', () => {
  it.each<[object, string, string]>([
    [{}, 'status', 'required'],
    [{ status: null }, 'status', 'wrong_type'],
    [{ status: 'paused' }, 'status', 'unknown_value'],
    [{ status: 'stopped', until: 'tomorrow' }, 'until', 'unknown_property'],
  ])('refuses %j', async (sent, path, code) => {
    const { status, body } = await owner.put(`/organizations/${id}/work-dispatch`, sent);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path, code }] });
    expect((await read()).body.data).toEqual(RUNNING);
  });
});

describe('work dispatch: 404', () => {
  it('for those who do not belong to the organization', async () => {
    const stranger = await app.person();
    for (const answer of [
      await stranger.get(`/organizations/${id}/work-dispatch`),
      await stranger.put(`/organizations/${id}/work-dispatch`, { status: 'stopped' }),
      await owner.get(`/organizations/${randomUUID()}/work-dispatch`),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe('organization_not_found');
    }
    expect((await read()).body.data).toEqual(RUNNING);
  });
});

describe('PUT /organizations/{organizationId}/work-dispatch: 409', () => {
  it('while the organization is being onboarded', async () => {
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [id]);
    const { status, body } = await set('stopped');
    expect(status).toBe(409);
    expect(body.error.code).toBe('state_conflict');
  });
});
