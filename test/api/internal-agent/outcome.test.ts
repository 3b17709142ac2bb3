import { describe, expect, it } from '@jest/globals';
import { canonicalDigest } from '../../../src/kernel/crypto/index.ts';
import type { Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { until } from '../../support/until.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const stage = (agent: Client, body: unknown, query = '') =>
  agent.put(place.agentPath(`/execution/outcome${query}`), body);
const verifying = () => place.run({ run: { mode: 'verify' } });
const staged = async (runId: string) =>
  (await app.db.query('select id, kind, outcome, digest from run_outcome where run_id = $1', [runId])).rows;

function verification(change: object = {}) {
  const findings = [{ criterion: 'Loads fast', verdict: 'accepted', note: 'It takes 0.8 s.' }];
  return { kind: 'verification', summary: 'It holds.', verdict: 'accepted', findings, ...change };
}

describe('PUT …/execution/outcome: 200', () => {
  it('stages a verification, and the same again under the same id', async () => {
    const { agent, runId } = await verifying();
    const { status, body } = await stage(agent, verification());
    const digest = canonicalDigest(verification());
    expect([status, body.data]).toEqual([200, { outcomeId: expect.any(String), digest, issues: [] }]);
    expect((await stage(agent, verification())).body.data).toEqual(body.data);
    expect(await staged(runId)).toEqual([
      { id: body.data.outcomeId, kind: 'verification', outcome: verification(), digest },
    ]);
  });

  it('replaces what was staged before', async () => {
    const { agent, runId } = await verifying();
    const first = (await stage(agent, verification())).body.data;
    const second = (await stage(agent, verification({ verdict: 'rejected' }))).body.data;
    expect(second.outcomeId).not.toBe(first.outcomeId);
    expect(second.digest).not.toBe(first.digest);
    expect(await staged(runId)).toMatchObject([{ id: second.outcomeId, outcome: { verdict: 'rejected' } }]);
  });

  it('only validates in a dry run', async () => {
    const { agent, runId } = await verifying();
    const { status, body } = await stage(agent, verification(), '?dryRun=true');
    expect([status, body.data]).toEqual([
      200,
      { outcomeId: null, digest: canonicalDigest(verification()), issues: [] },
    ]);
    expect(await staged(runId)).toEqual([]);
  });
});

describe('PUT …/execution/outcome: 400', () => {
  it.each([
    [{ verdict: 'maybe' }, 'verdict'],
    [{ verdict: undefined }, 'verdict'],
    [{ findings: undefined }, 'findings'],
    [{ findings: Array.from({ length: 21 }, () => ({ criterion: 'a', verdict: 'accepted', note: 'b' })) }, 'findings'],
    [{ findings: [{ criterion: 'a', verdict: 'accepted' }] }, 'findings.0.note'],
    [{ summary: 'a'.repeat(4_001) }, 'summary'],
    [{ kind: 'completed' }, 'kind'],
    [{ operations: [{ kind: 'cancel_task', task: 'a' }] }, 'operations'],
    [{ unheardOf: 1 }, 'unheardOf'],
  ])('refuses %#', async (change, path) => {
    const { agent, runId } = await verifying();
    for (const query of ['', '?dryRun=true']) {
      const { status, body } = await stage(agent, verification(change), query);
      expect([status, body.error.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
    }
    expect(await staged(runId)).toEqual([]);
  });

  it('for an inbox item that nobody has', async () => {
    const { agent } = await place.run();
    const handoff = { kind: 'handoff', summary: 'Which one?', inboxItemId: place.organizationId };
    const { status, body } = await stage(agent, handoff);
    expect([status, body.error.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'inboxItemId', code: 'unknown_reference' })],
    ]);
    const dry = await stage(agent, handoff, '?dryRun=true');
    expect([dry.status, dry.body.data]).toEqual([
      200,
      { outcomeId: null, digest: expect.any(String), issues: body.error.issues },
    ]);
  });
});

describe('PUT …/execution/outcome: 401', () => {
  it('wants the capability of a run, of this organization', async () => {
    const elsewhere = await Workplace.open(app);
    for (const client of [app.anonymous, app.service, place.owner, (await elsewhere.run()).agent])
      expect((await stage(client, verification())).body.error.code).toBe('agent_unauthorized');
  });
});

describe('PUT …/execution/outcome: 409', () => {
  it('for a kind that the mode of the run does not permit', async () => {
    const { agent, runId } = await place.run();
    for (const query of ['', '?dryRun=true']) {
      const { status, body } = await stage(agent, verification(), query);
      expect([status, body.error.code, body.error.issues]).toEqual([
        409,
        'state_conflict',
        [expect.objectContaining({ path: 'kind', code: 'outcome_not_permitted' })],
      ]);
    }
    expect(await staged(runId)).toEqual([]);
  });

  it('for learning, since the task is of another kind', async () => {
    const { agent } = await place.run();
    const learning = {
      kind: 'learning',
      summary: 'Learned.',
      expectedRevision: 0,
      watermarkTaskId: place.organizationId,
      lessons: [],
      suggestions: [],
    };
    expect((await stage(agent, learning)).body.error.code).toBe('state_conflict');
  });

  it('when the run is over', async () => {
    for (const run of [{ status: 'succeeded' }, { lease_expires_at: '2026-03-01T09:30:00Z' }]) {
      const { agent, runId } = await place.run({ request: { status: 'completed' }, run: { mode: 'verify', ...run } });
      expect((await stage(agent, verification())).body.error.code).toBe('state_conflict');
      expect(await staged(runId)).toEqual([]);
    }
  });

  it('when the run ends while the outcome arrives: it waits, and stores nothing', async () => {
    const { agent, runId } = await verifying();
    const ending = await app.db.connect();
    try {
      await ending.query('begin');
      await ending.query(`update run set status = 'failed' where id = $1`, [runId]);
      const late = stage(agent, verification());
      await until('the outcome waits for the run', async () => (await waiting()) > 0);
      await ending.query('commit');
      expect((await late).body.error.code).toBe('state_conflict');
      expect(await staged(runId)).toEqual([]);
    } finally {
      await ending.query('rollback');
      ending.release();
    }
  });
});

async function waiting(): Promise<number> {
  const { rows } = await app.db.query(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].n as number;
}

describe('PUT …/execution/outcome: plans', () => {
  const plan = (change: object = {}) => ({
    kind: 'planned',
    summary: 'Two steps.',
    expectedGraphRevision: 1,
    operations: [
      {
        kind: 'create_task',
        ref: 'research',
        title: ' Research ',
        spec: { objective: 'Find out.' },
        ownerAgentProfileKey: 'growth',
      },
      {
        kind: 'create_task',
        ref: 'report',
        title: 'Report',
        spec: { objective: 'Write.' },
        ownerAgentProfileKey: 'growth',
        dependsOn: [{ taskRef: 'research' }],
      },
    ],
    ...change,
  });
  const tasks = async () =>
    (await app.db.query('select count(*)::int as n from task where organization_id = $1', [place.organizationId]))
      .rows[0].n;

  it('200: stages one that could be applied now, under the digest of what was sent, and creates nothing', async () => {
    const { agent, runId } = await place.run();
    const before = await tasks();
    const { status, body } = await stage(agent, plan());
    const digest = canonicalDigest(plan());
    expect([status, body.data]).toEqual([200, { outcomeId: expect.any(String), digest, issues: [] }]);
    // What is applied later needs the defaults.
    expect(await staged(runId)).toMatchObject([
      { digest, outcome: { operations: [{ title: 'Research', dependsOn: [] }, {}] } },
    ]);
    expect(await tasks()).toBe(before);
  });

  it('400: for one that is malformed, or names what is not there', async () => {
    const { agent, runId } = await place.run();
    for (const operations of [[], [{ kind: 'create_task', ref: 'a' }], [{ kind: 'unheard_of' }]])
      for (const query of ['', '?dryRun=true'])
        expect((await stage(agent, plan({ operations }), query)).status).toBe(400);
    const operations = [{ kind: 'cancel_task', task: place.organizationId }];
    const { status, body } = await stage(agent, plan({ operations }));
    expect([status, body.error.issues[0]]).toEqual([
      400,
      expect.objectContaining({ path: 'operations.0.task', code: 'unknown_reference' }),
    ]);
    const dry = await stage(agent, plan({ operations }), '?dryRun=true');
    expect([dry.status, dry.body.data.outcomeId, dry.body.data.issues]).toEqual([200, null, body.error.issues]);
    expect(await staged(runId)).toEqual([]);
  });

  it('409: for one that cannot be applied now; a dry run is told why', async () => {
    const { agent, runId } = await place.run();
    const stale = plan({ expectedGraphRevision: 7 });
    const { status, body } = await stage(agent, stale);
    expect([status, body.error.code, body.error.issues[0].path]).toEqual([
      409,
      'state_conflict',
      'expectedGraphRevision',
    ]);
    const dry = await stage(agent, stale, '?dryRun=true');
    expect([dry.status, dry.body.data]).toEqual([
      200,
      { outcomeId: null, digest: canonicalDigest(stale), issues: body.error.issues },
    ]);
    expect(await staged(runId)).toEqual([]);
  });

  it('is what the completion applies', async () => {
    const { agent, runId, leaseToken, taskId } = await place.run();
    expect((await stage(agent, plan())).status).toBe(200);
    const output = { kind: 'task_result', result: { kind: 'planned', summary: 'Two steps.', staged: plan() } };
    const { status, body } = await app.service.post(`/internal/runs/${runId}/complete`, {
      organizationId: place.organizationId,
      leaseToken,
      output,
    });
    expect([status, body.data]).toEqual([200, expect.objectContaining({ status: 'succeeded', taskStatus: 'blocked' })]);
    const children = (await place.owner.get(place.path(`/tasks?parentId=${taskId}&order=asc`))).body.data;
    expect(children.map(({ title }: { title: string }) => title).toSorted()).toEqual(['Report', 'Research']);
  });
});
