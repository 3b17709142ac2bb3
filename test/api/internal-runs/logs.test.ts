import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, createOrganization } from '../../support/client.ts';
import { type RunRow, runRow } from '../../support/factories/engine-rows.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
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

const liveRun = (run = {}) => runRow(app, organizationId, profileId, { run });
const endedRun = (status: string) =>
  runRow(app, organizationId, profileId, { request: { status: 'completed' }, run: { status } });

function entry(sequence: number, change: object = {}) {
  return {
    sequence,
    category: 'execution',
    status: 'completed',
    label: `Step ${sequence}`,
    detail: null,
    occurredAt: '2026-03-01T09:30:00.5Z',
    ...change,
  };
}

function append(
  { runId, leaseToken }: Pick<RunRow, 'runId' | 'leaseToken'>,
  entries: unknown,
  client: Client = app.service,
) {
  return client.post(`/internal/runs/${runId}/logs`, { organizationId, leaseToken, entries });
}

const stored = async ({ runId }: RunRow) =>
  (await owner.get(`/organizations/${organizationId}/runs/${runId}/logs`)).body.data as { sequence: number }[];
const sequences = async (run: RunRow) => (await stored(run)).map(({ sequence }) => sequence);

describe('POST /internal/runs/{runId}/logs: 200', () => {
  it('stores a batch, which the owner then reads in order', async () => {
    const run = await liveRun();
    const detail = 'exit code 0';
    const { status, body } = await append(run, [entry(2), entry(1, { detail }), { ...entry(3), detail: undefined }]);
    expect([status, body.data]).toEqual([200, { acceptedThrough: 3, missing: [], cancelRequested: false }]);
    expect(await stored(run)).toEqual(
      [entry(1, { detail }), entry(2), entry(3)].map((each) =>
        Object.assign(each, { occurredAt: '2026-03-01T09:30:00.500000Z', receivedAt: expect.any(String) }),
      ),
    );
  });

  it('ignores what is stored already', async () => {
    const run = await liveRun();
    await append(run, [entry(1), entry(2)]);
    const { status, body } = await append(run, [entry(2, { occurredAt: '2026-03-01T10:30:00.500+01:00' }), entry(3)]);
    expect([status, body.data]).toEqual([200, { acceptedThrough: 3, missing: [], cancelRequested: false }]);
    expect(await sequences(run)).toEqual([1, 2, 3]);
  });

  it('says what is missing, the first hundred', async () => {
    const run = await liveRun();
    expect((await append(run, [entry(3)])).body.data).toEqual({
      acceptedThrough: 0,
      missing: [1, 2],
      cancelRequested: false,
    });
    expect((await append(run, [entry(1), entry(6)])).body.data).toEqual({
      acceptedThrough: 1,
      missing: [2, 4, 5],
      cancelRequested: false,
    });
    expect((await append(run, [entry(2)])).body.data).toEqual({
      acceptedThrough: 3,
      missing: [4, 5],
      cancelRequested: false,
    });
    const { missing } = (await append(run, [entry(999_999_999)])).body.data;
    expect(missing).toEqual([4, 5, ...Array.from({ length: 98 }, (_, index) => index + 7)]);
  });

  it('keeps count in whatever order batches come, and however they overlap', async () => {
    const run = await liveRun();
    const sent = new Set<number>();
    for (const batch of [[8, 9], [2, 12, 9], [4, 8, 5], [20, 1, 3], [3, 4, 6, 13], [15, 10, 11, 12], [7], [14, 20]]) {
      for (const sequence of batch) sent.add(sequence);
      const last = Math.max(...sent);
      const missing = Array.from({ length: last }, (_, index) => index + 1).filter((each) => !sent.has(each));
      const answer = await append(
        run,
        batch.map((sequence) => entry(sequence)),
      );
      expect(answer.body.data).toEqual({
        acceptedThrough: (missing[0] ?? last + 1) - 1,
        missing,
        cancelRequested: false,
      });
      expect(await sequences(run)).toEqual([...sent].toSorted((one, other) => one - other));
    }
  });

  it('stores texts as they are', async () => {
    const run = await liveRun();
    const labels = ['{"a","b"}', 'back\\slash, "quotes"', "it's NULL", 'NULL', '„Ärger“ 🚀', '{}', ' '];
    await append(
      run,
      labels.map((label, index) => entry(index + 1, { label, detail: label })),
    );
    expect(await stored(run)).toEqual(labels.map((label) => expect.objectContaining({ label, detail: label })));
  });

  it('takes 200 entries, from a run that is still starting, too', async () => {
    const run = await liveRun({ status: 'starting' });
    const { body } = await append(
      run,
      Array.from({ length: 200 }, (_, index) => entry(index + 1)),
    );
    expect(body.data).toEqual({ acceptedThrough: 200, missing: [], cancelRequested: false });
  });

  it('puts entries into the month of the run, whenever they arrive', async () => {
    const run = await liveRun({ created_at: '2026-01-31T23:59:59Z' });
    await append(run, [entry(1)]);
    const { rows } = await app.db.query('select run_month::text as month from run_log where run_id = $1', [run.runId]);
    expect(rows).toEqual([{ month: '2026-01-01 00:00:00+00' }]);
    expect((await append(run, [entry(1)])).status).toBe(200);
    expect(await sequences(run)).toEqual([1]);
  });
});

describe('POST /internal/runs/{runId}/logs: 400', () => {
  it.each([
    ['label', 'two\nlines'],
    ['label', 'a\u2028b'],
    ['label', 'bell\u0007'],
    ['label', ''],
    ['label', 'a'.repeat(201)],
    ['detail', 'a'.repeat(2_001)],
    ['detail', 'Authorization: Bearer abcdef'],
    ['label', 'brt_abcdefghijklmnop'],
    ['detail', 'postgres://user:secret@host/db'],
    ['category', 'secret'],
    ['status', 'done'],
    ['sequence', 0],
    ['sequence', 1.5],
    ['occurredAt', 'yesterday'],
    ['unheardOf', 1],
  ])('refuses a batch for one bad %s', async (field, value) => {
    const run = await liveRun();
    const { status, body } = await append(run, [entry(1), entry(2, { [field]: value })]);
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
    expect(body.error.issues).toEqual([expect.objectContaining({ path: `entries.1.${field}` })]);
    expect(await sequences(run)).toEqual([]);
  });

  it.each([
    ['the run’s lease token', (run: RunRow) => run.leaseToken],
    ['a token of a runtime', () => SERVICE_TOKEN],
    ['the administrator’s token', () => BOOTSTRAP_TOKEN],
  ])('refuses %s, and names the entry', async (_what, tokenOf) => {
    const run = await liveRun();
    for (const field of ['label', 'detail']) {
      const bad = entry(2, { [field]: `with ${tokenOf(run)}` });
      const { status, body } = await append(run, [entry(1), bad]);
      const path = `entries.1.${field}`;
      expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path, code: 'unsafe_text' })]]);
    }
    expect(await sequences(run)).toEqual([]);
  });

  it('says what it took for a credential', async () => {
    const run = await liveRun();
    const { body } = await append(run, [entry(1), entry(2, { detail: 'api_key: abc123' })]);
    const message = 'must be without credentials, and this looks like a password or key in the open';
    expect(body.error.issues).toEqual([{ path: 'entries.1.detail', code: 'unsafe_text', message }]);
  });

  it('refuses no entry, more than 200, and a sequence twice', async () => {
    const run = await liveRun();
    for (const entries of [
      [],
      Array.from({ length: 201 }, (_, index) => entry(index + 1)),
      [entry(1), entry(1)],
      undefined,
      {},
    ])
      expect((await append(run, entries)).status).toBe(400);
    expect(await sequences(run)).toEqual([]);
  });
});

describe('POST /internal/runs/{runId}/logs: 401', () => {
  it('wants the service token', async () => {
    const run = await liveRun();
    for (const client of [app.anonymous, owner]) {
      const { status, body } = await append(run, [entry(1)], client);
      expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
    }
  });
});

describe('POST /internal/runs/{runId}/logs: 409 run_lease_expired', () => {
  it('for another token, an unknown run, a lapsed lease, an ended run', async () => {
    const live = await liveRun();
    const lapsed = await liveRun({ lease_expires_at: '2026-03-01T09:30:00Z' });
    const refused = [
      { ...live, leaseToken: 'another' },
      { ...live, runId: randomUUID() },
      lapsed,
      await endedRun('succeeded'),
      await endedRun('expired'),
    ];
    for (const run of refused) {
      const { status, body } = await append(run, [entry(1)]);
      expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    }
    for (const run of [live, lapsed]) expect(await sequences(run)).toEqual([]);
  });

  it('in another organization, and one that is gone', async () => {
    const run = await liveRun();
    const stranger = (await createOrganization(owner)).body.data.organization.id;
    const at = (id: string) =>
      app.service.post(`/internal/runs/${run.runId}/logs`, {
        organizationId: id,
        leaseToken: run.leaseToken,
        entries: [entry(1)],
      });
    for (const id of [stranger, randomUUID()]) expect((await at(id)).body.error.code).toBe('run_lease_expired');
    await owner.delete(`/organizations/${stranger}`);
    expect((await at(stranger)).body.error.code).toBe('run_lease_expired');
  });
});

describe('POST /internal/runs/{runId}/logs: 409 state_conflict', () => {
  it('for a stored sequence with other content, and stores nothing of the batch', async () => {
    const run = await liveRun();
    await append(run, [entry(1), entry(2)]);
    for (const change of [
      { label: 'Other' },
      { detail: 'x' },
      { status: 'failed' },
      { category: 'git' },
      { occurredAt: '2026-03-01T09:30:01Z' },
    ]) {
      const { status, body } = await append(run, [entry(3), entry(2, change)]);
      expect([status, body.error.code]).toEqual([409, 'state_conflict']);
      expect(body.error.issues).toEqual([expect.objectContaining({ path: 'entries.1', code: 'sequence_conflict' })]);
    }
    expect(await sequences(run)).toEqual([1, 2]);
  });

  it('when two batches with other content race, for one of them as a whole', async () => {
    for (let round = 0; round < 5; round += 1) {
      const run = await liveRun();
      const batches = ['a', 'b'].map((label) => [entry(1, { label }), entry(label === 'a' ? 2 : 3)]);
      const answers = await Promise.all(batches.map((batch) => append(run, batch)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(await sequences(run)).toEqual([1, winner === 0 ? 2 : 3]);
    }
  });
});
