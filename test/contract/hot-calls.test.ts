import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { costOf } from '../support/database/round-trips.ts';
import {
  append,
  cancelTurn,
  type ClaimedTurn,
  claimTurns,
  heldTurn,
  onTurn,
  streamingTurn,
  waitingTurns,
  WORKPLACE as TURN_WORKPLACE,
} from '../support/factories/turns.ts';
import { knowledgeRow } from '../support/factories/knowledge.ts';
import { untilLocked } from '../support/database/waiting-calls.ts';
import {
  allowRuns,
  claim,
  claimOne,
  COMPLETED,
  onRun,
  queueTasks,
  start,
  startClaimed,
  WORKPLACE,
} from '../support/factories/work.ts';
import { useOrganization } from '../support/use-test-app.ts';

/** What the calls of workers cost the database: each is one round trip and, by the protocol, one commit. */
const { app, organization } = useOrganization();

beforeAll(async () => {
  await allowRuns(app, organization.id, 100);
  await queueTasks(app, organization.id, 20);
});

describe('round trips, and the statements of each', () => {
  it('claim: one', async () => {
    expect(await costOf(() => claim(app, organization.id))).toEqual([2]);
  });

  it('claim with a request key: one', async () => {
    expect(await costOf(() => claim(app, organization.id, { requestKey: randomUUID() }))).toEqual([4]);
  });

  it('claim of several of one organization: two', async () => {
    expect(await costOf(() => claim(app, organization.id, { limit: 5 }))).toEqual([2, 2]);
  });

  it('start, and its repeat: one', async () => {
    const claimed = await claimOne(app, organization.id);
    const runId = randomUUID();
    expect(await costOf(() => start(app, claimed, { runId }))).toEqual([6]);
    expect(await costOf(() => start(app, claimed, { runId }))).toEqual([6]);
  });

  it('running and heartbeat: one', async () => {
    const run = await startClaimed(app, organization.id);
    expect(await costOf(() => onRun(app, run, 'running', WORKPLACE))).toEqual([2]);
    expect(await costOf(() => onRun(app, run, 'heartbeat'))).toEqual([2]);
  });

  it('release: one', async () => {
    const { runRequestId, leaseToken } = await claimOne(app, organization.id);
    const path = `/internal/run-requests/${runRequestId}/release`;
    expect(await costOf(() => app.service.post(path, { organizationId: organization.id, leaseToken }))).toEqual([3]);
  });

  it('logs: one', async () => {
    const run = await startClaimed(app, organization.id);
    const entry = { sequence: 1, category: 'execution', status: 'info', label: 'A step', detail: null };
    const entries = [{ ...entry, occurredAt: '2026-03-01T09:30:00Z' }];
    expect(await costOf(() => onRun(app, run, 'logs', { entries }))).toEqual([3]);
  });

  it('the manifest: one, and one more where the organization knows anything', async () => {
    const { executionToken } = await startClaimed(app, organization.id);
    const read = () => app.client(executionToken).get(`/internal/agent/organizations/${organization.id}/execution`);
    const [first, ...more] = await costOf(read);
    expect(more).toEqual([]);
    await knowledgeRow(app, organization.id);
    expect(await costOf(read)).toEqual([first, 5]);
  });

  it('complete, of a task that nobody waits for: one', async () => {
    const run = await startClaimed(app, organization.id);
    expect(await costOf(() => onRun(app, run, 'complete', COMPLETED))).toEqual([5]);
    expect(await costOf(() => onRun(app, run, 'complete', COMPLETED))).toEqual([5, 3, 2, 1]);
  });

  // One transaction: what has to be known before it can go on costs a round trip, what need not wait goes together.
  it('fail, of a run that is tried again: six', async () => {
    const run = await startClaimed(app, organization.id);
    const error = { code: 'failed', message: 'It failed.', retryable: true };
    expect(await costOf(() => onRun(app, run, 'fail', { error }))).toEqual([3, 2, 5, 5, 1, 1]);
  });
});

describe('round trips of chat turns, and the statements of each', () => {
  it('claim, also with a request key: one; of several of one organization: two', async () => {
    await waitingTurns(app, organization.id, 7);
    expect(await costOf(() => claimTurns(app, organization.id))).toEqual([4]);
    expect(await costOf(() => claimTurns(app, organization.id, { requestKey: randomUUID() }))).toEqual([6]);
    expect(await costOf(() => claimTurns(app, organization.id, { limit: 5 }))).toEqual([4, 4]);
  });

  it('release and running: one', async () => {
    const turn = await heldTurn(app, organization.id);
    expect(await costOf(() => onTurn(app, turn, 'running', TURN_WORKPLACE))).toEqual([4]);
    const other = await heldTurn(app, organization.id);
    expect(await costOf(() => onTurn(app, other, 'release'))).toEqual([3]);
    // The first that finds nothing looks whether its filters name what nobody has.
    expect(await costOf(() => claimTurns(app, organization.id))).toEqual([4, 2]);
    expect(await costOf(() => claimTurns(app, organization.id))).toEqual([4]);
  });

  it('append and heartbeat: one, the repeat too', async () => {
    const turn = await streamingTurn(app, organization.id);
    expect(await costOf(() => append(app, turn, 5, ', Ada'))).toEqual([3]);
    expect(await costOf(() => append(app, turn, 5, ', Ada'))).toEqual([3]);
    expect(await costOf(() => onTurn(app, turn, 'heartbeat'))).toEqual([2]);
  });

  it('complete, fail, cancelled and their repeats: one', async () => {
    const error = { code: 'failed', message: 'It failed.', retryable: false };
    for (const [call, body] of [
      ['complete', { title: 'Named', summary: 'Done.', harnessSessionId: 'session-1' }],
      ['fail', { error }],
      ['cancelled', {}],
    ] as const) {
      const turn = await streamingTurn(app, organization.id);
      if (call === 'cancelled') await cancelTurn(app, turn);
      for (let time = 0; time < 2; time += 1) expect(await costOf(() => onTurn(app, turn, call, body))).toEqual([5]);
    }
  });

  it('many appends that come while another is written: one for all', async () => {
    const turns: ClaimedTurn[] = [];
    for (let nth = 0; nth < 8; nth += 1) turns.push(await streamingTurn(app, organization.id));
    const [first, ...others] = turns;
    const holder = await app.db.connect();
    try {
      await holder.query('begin');
      await holder.query('select from message where id = $1 for update', [first!.turnId]);
      const costs = await costOf(async () => {
        const answers = [append(app, first!, 5, ', Ada')];
        await untilLocked(app, answers.length);
        answers.push(...others.map((turn) => append(app, turn, 5, ', Ada')));
        // It goes the same way behind them: when it is answered they are in line.
        await app.anonymous.get('/health/live');
        await holder.query('commit');
        return { status: Math.max(...(await Promise.all(answers)).map(({ status }) => status)) };
      });
      // What is alone are the test's own statements.
      expect(costs.filter((statements) => statements > 1)).toEqual([3, 3]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});

describe('an append', () => {
  it('is updated in place: no index changes', async () => {
    const { rows } = await app.db.query<{ definition: string }>(
      `select pg_get_indexdef(i.indexrelid) as definition from pg_index i where i.indrelid = 'message'::regclass`,
    );
    for (const column of [
      'revision',
      'text_bytes',
      'updated_at',
      'lease_expires_at',
      'heartbeat_at',
      'capability_expires_at',
    ])
      expect(rows.filter(({ definition }) => definition.includes(column))).toEqual([]);
    const turn = await streamingTurn(app, organization.id);
    const page = async () =>
      (
        await app.db.query(`select ctid::text from message where organization_id = $1 and id = $2`, [
          organization.id,
          turn.turnId,
        ])
      ).rows[0].ctid.split(',')[0];
    const before = await page();
    for (const [offset, text] of [
      [5, ','],
      [6, ' Ada'],
    ] as const)
      await append(app, turn, offset, text);
    expect(await page()).toBe(before);
  });
});

describe('a heartbeat', () => {
  it('is updated in place: no index changes', async () => {
    const run = await startClaimed(app, organization.id);
    await onRun(app, run, 'running', WORKPLACE);
    const hot = async () => {
      const { rows } = await app.db.query<{ ctid: string; indexes: string[] }>(
        `select r.ctid::text, array(select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = 'run'::regclass) as indexes
         from run r where r.organization_id = $1 and r.id = $2`,
        [organization.id, run.runId],
      );
      return rows[0]!;
    };
    const { indexes } = await hot();
    for (const column of ['lease_expires_at', 'heartbeat_at', 'capability_expires_at'])
      expect(indexes.filter((definition) => definition.includes(column))).toEqual([]);
    const page = ({ ctid }: { ctid: string }) => ctid.split(',')[0];
    const before = await hot();
    await onRun(app, run, 'heartbeat');
    expect(page(await hot())).toBe(page(before));
  });
});
