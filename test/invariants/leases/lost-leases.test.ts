import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import { costOf } from '../../support/database/round-trips.ts';
import { claimTurn, endTurnRest, heldTurn, lapseTurn, onTurn } from '../../support/factories/turns.ts';
import {
  type Claimed,
  claimOne,
  endRest,
  lapseClaim,
  lapseRun,
  onRun,
  queueTask,
  start,
  startClaimed,
  startedRun,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** Who held a lease is told what became of it. Who never did is told the same whatever there is. */
const { app, organization } = useOrganization({ per: 'test' });

const whyOf = ({ status, body }: Answer) => [
  status,
  body.error.code,
  body.error.issues.map(({ path, code }: { path: string; code: string }) => `${path}: ${code}`),
];
const because = (code: string) => [409, 'run_lease_expired', [`leaseToken: ${code}`]];
const release = ({ organizationId, runRequestId, leaseToken }: Claimed) =>
  app.service.post(`/internal/run-requests/${runRequestId}/release`, { organizationId, leaseToken });

/** The request waits for its next attempt no longer. */
async function retryNow(): Promise<void> {
  await app.db.query(`update run_request set available_at = clock_timestamp() where organization_id = $1`, [
    organization.id,
  ]);
  await app.runJob('run-requests-due');
}

describe('a run', () => {
  it('has ended: its lease lapsed, before the sweep and after, until another attempt supersedes it', async () => {
    const run = await startedRun(app, organization.id);
    await lapseRun(app, run);
    expect(whyOf(await onRun(app, run, 'heartbeat'))).toEqual(because('ended'));
    await app.runJob('runs-expire');
    expect(whyOf(await onRun(app, run, 'heartbeat'))).toEqual(because('ended'));
    await retryNow();
    const next = await startClaimed(app, organization.id);
    expect(next.runRequestId).toBe(run.runRequestId);
    expect(whyOf(await onRun(app, run, 'heartbeat'))).toEqual(because('superseded'));
    // A run that its own worker ended stays ended, whatever comes after it.
    const error = { code: 'broken', message: 'Broken.', retryable: true };
    expect((await onRun(app, next, 'fail', { error })).status).toBe(200);
    await retryNow();
    await startClaimed(app, organization.id);
    expect(whyOf(await onRun(app, next, 'heartbeat'))).toEqual(because('ended'));
  });

  it('is unknown to another token, under ids that there are and that there are not', async () => {
    const run = await startedRun(app, organization.id);
    const guesses = [
      { ...run, leaseToken: 'x'.repeat(43) },
      { ...run, leaseToken: '' },
      { ...run, runId: randomUUID() },
      { ...run, organizationId: randomUUID() },
    ];
    const answers = await Promise.all(guesses.map((guess) => onRun(app, guess, 'heartbeat')));
    for (const answer of answers) expect(whyOf(answer)).toEqual(because('unknown'));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.error))).size).toBe(1);
  });

  it('is looked up in one round trip behind the failed call, and behind no other', async () => {
    const run = await startedRun(app, organization.id);
    expect(await costOf(() => onRun(app, run, 'heartbeat'))).toEqual([2]);
    await lapseRun(app, run);
    expect(await costOf(() => onRun(app, run, 'heartbeat'), 409)).toEqual([2, 2]);
  });
});

describe('a claim', () => {
  it('has ended once it lapsed or was given back, until another one supersedes it', async () => {
    await queueTask(app, organization.id);
    const first = await claimOne(app, organization.id);
    await lapseClaim(app, first);
    expect(whyOf(await start(app, first))).toEqual(because('ended'));
    await app.runJob('run-claims-lapsed');
    expect(whyOf(await start(app, first))).toEqual(because('ended'));
    const second = await claimOne(app, organization.id);
    expect(whyOf(await start(app, first))).toEqual(because('superseded'));
    expect((await release(second)).status).toBe(200);
    expect(whyOf(await release(second))).toEqual(because('ended'));
    await endRest(app, second);
    await claimOne(app, organization.id);
    expect(whyOf(await release(second))).toEqual(because('superseded'));
    // One former claim is remembered.
    expect(whyOf(await start(app, first))).toEqual(because('unknown'));
  });

  it('has ended with its task, and is unknown to another token', async () => {
    await queueTask(app, organization.id);
    const claimed = await claimOne(app, organization.id);
    expect(whyOf(await start(app, { ...claimed, leaseToken: 'x'.repeat(43) }))).toEqual(because('unknown'));
    expect(
      (await app.bootstrap.post(`/organizations/${organization.id}/tasks/${claimed.taskId}/cancel`, {})).status,
    ).toBe(200);
    expect(whyOf(await release(claimed))).toEqual(because('ended'));
  });
});

describe('a turn', () => {
  it('has ended once it lapsed, until another claim supersedes it', async () => {
    const turn = await heldTurn(app, organization.id);
    await lapseTurn(app, turn);
    expect(whyOf(await onTurn(app, turn, 'heartbeat'))).toEqual(because('ended'));
    await app.runJob('turns-due');
    expect(whyOf(await onTurn(app, turn, 'heartbeat'))).toEqual(because('ended'));
    const next = await claimTurn(app, organization.id);
    expect(next.turnId).toBe(turn.turnId);
    expect(whyOf(await onTurn(app, turn, 'heartbeat'))).toEqual(because('superseded'));
    expect((await onTurn(app, next, 'complete')).status).toBe(200);
    expect(whyOf(await onTurn(app, next, 'heartbeat'))).toEqual(because('ended'));
  });

  it('has ended once it was given back, until another claim supersedes it', async () => {
    const turn = await heldTurn(app, organization.id);
    await onTurn(app, turn, 'release');
    expect(whyOf(await onTurn(app, turn, 'heartbeat'))).toEqual(because('ended'));
    await endTurnRest(app, turn);
    await claimTurn(app, organization.id);
    expect(whyOf(await onTurn(app, turn, 'heartbeat'))).toEqual(because('superseded'));
  });

  it('is unknown to another token', async () => {
    const turn = await heldTurn(app, organization.id);
    for (const guess of [{ leaseToken: 'x'.repeat(43) }, { turnId: randomUUID() }, { organizationId: randomUUID() }])
      expect(whyOf(await onTurn(app, { ...turn, ...guess }, 'heartbeat'))).toEqual(because('unknown'));
  });
});
