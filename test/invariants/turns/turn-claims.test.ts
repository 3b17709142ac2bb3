import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Draining } from '../../../src/kernel/http/index.ts';
import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import { TurnWaitersService } from '../../../src/modules/chats/turns/turn-waiters.service.ts';
import { organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import {
  type ClaimedTurn,
  claimTurns,
  endTurnRest,
  FAILURE,
  heldTurn,
  onTurn,
  TURN_CLAIM_PATH,
  waitingTurn,
  waitingTurns,
} from '../../support/factories/turns.ts';
import { until } from '../../support/until.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

describe('claims of turns are fair:', () => {
  // Claims here look at all organizations that there are.
  const app = useTestApp({ ownDatabase: true });
  const owner = usePerson(app);

  const claimAny = async (limit = 1): Promise<ClaimedTurn[]> =>
    (await app.service.post(TURN_CLAIM_PATH, { workerId: randomUUID(), bootId: randomUUID(), limit })).body.data;
  const end = (turns: ClaimedTurn[]) => Promise.all(turns.map((turn) => onTurn(app, turn, 'complete')));

  it('an organization that has one turn is served by the second claim at the latest, however many another one has', async () => {
    const [flood, quiet] = [await organizationOf(owner), await organizationOf(owner)];
    await waitingTurns(app, flood, 60);
    for (let round = 0; round < 10; round += 1) {
      await end(await claimAny());
      const { turnId } = await waitingTurn(app, quiet);
      const claims = [...(await claimAny()), ...(await claimAny())];
      expect(claims.map((each) => each.turnId)).toContain(turnId);
      await end(claims);
    }
  });

  it('one call takes turns, so that a flood does not fill it', async () => {
    const quiet = await organizationOf(owner);
    await waitingTurns(app, quiet, 3);
    const claims = await claimAny(10);
    expect(claims.filter(({ organizationId }) => organizationId === quiet)).toHaveLength(3);
    expect(claims).toHaveLength(10);
    await end(claims);
  });

  it('an organization at its limit, or whose profile is disabled, holds nobody up', async () => {
    const [disabled, waiting] = [await organizationOf(owner), await organizationOf(owner)];
    await waitingTurn(app, disabled);
    await app.db.query(`update agent_profile set status = 'disabled' where organization_id = $1`, [disabled]);
    const { turnId } = await waitingTurn(app, waiting);
    const claims = await claimAny(50);
    expect(claims.map((each) => each.turnId)).toContain(turnId);
    expect(claims.map((each) => each.organizationId)).not.toContain(disabled);
    await end(claims);
  });

  it('many claims at once get what there is, each once', async () => {
    const organizations = await Promise.all(Array.from({ length: 6 }, () => organizationOf(owner)));
    for (const organizationId of organizations) await waitingTurns(app, organizationId, 5);
    const answers = await Promise.all(Array.from({ length: 15 }, () => claimAny(2)));
    const ids = answers.flat().map(({ turnId }) => turnId);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });
});

describe('a claim that waits', () => {
  /** Two processes of a deployment: their event buses meet in the database only. */
  const app = useTestApp();
  const other = useTestApp();
  const owner = usePerson(app);
  let organizationId: string;
  beforeEach(async () => {
    organizationId = await organizationOf(owner);
  });

  const waiting = (on: TestApp, count: number) =>
    until(`${count} wait`, () => on.app.get(TurnWaitersService).idle === count);
  const wait = (on: TestApp, body: Record<string, unknown> = {}) =>
    claimTurns(on, organizationId, { waitSeconds: 30, ...body });
  /** Well below the poll that would find the turn in the end. */
  const SOON_MS = 2_000;
  async function soon<T>(answer: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await answer;
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
    return result;
  }

  it.each<[string, (turn: ClaimedTurn) => Promise<unknown>]>([
    [
      'the rest of a turn that was given back is over',
      async (turn) => {
        await onTurn(app, turn, 'release');
        await endTurnRest(app, turn);
      },
    ],
    ['an attempt has failed', (turn) => onTurn(app, turn, 'fail', { error: { ...FAILURE, retryable: true } })],
    [
      'a lease has lapsed',
      async (turn) => {
        await app.db.query(`update message set lease_expires_at = now() where id = $1`, [turn.turnId]);
        await app.runJob('turns-due');
      },
    ],
    [
      'a message is posted',
      async () => {
        await waitingTurn(app, organizationId);
        app.app.get(ChatSignalsService).turnReady(organizationId);
      },
    ],
  ])('is woken when %s through another process', async (_what, happen) => {
    const turn = await heldTurn(app, organizationId);
    const waiter = wait(other);
    await waiting(other, 1);
    await happen(turn);
    expect((await soon(waiter)).body.data).toHaveLength(1);
  });

  it('is woken when a turn ends and its place is free', async () => {
    await waitingTurns(app, organizationId, 21);
    const { body } = await claimTurns(app, organizationId, { limit: 20 });
    const waiter = wait(other);
    await waiting(other, 1);
    await onTurn(app, body.data[0], 'complete');
    expect((await soon(waiter)).body.data).toHaveLength(1);
  });

  it('is woken when the profile is enabled', async () => {
    const turn = await heldTurn(app, organizationId);
    const path = `/organizations/${organizationId}/agent-profiles/${turn.agentProfileId}`;
    await owner.patch(path, { status: 'disabled' });
    await onTurn(app, turn, 'release');
    await endTurnRest(app, turn);
    const waiter = wait(other);
    await waiting(other, 1);
    await owner.patch(path, { status: 'enabled' });
    expect((await soon(waiter)).body.data[0].turnId).toBe(turn.turnId);
  });

  it('answers nothing when its time is up, and at once when the process stops', async () => {
    expect((await wait(app, { waitSeconds: 1 })).body.data).toEqual([]);
    const stopping = await TestApp.start();
    const waiter = wait(stopping);
    await waiting(stopping, 1);
    stopping.app.get(Draining).begin();
    expect((await soon(waiter)).body.data).toEqual([]);
    await stopping.close();
  });
});
