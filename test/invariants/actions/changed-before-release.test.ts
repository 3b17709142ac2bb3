import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, organizationOf, type Person } from '../../support/client.ts';
import {
  actionRow,
  approved,
  awaiting,
  idle,
  onAction,
  postingExecutor,
  propose,
  proposer,
  type Proposer,
} from '../../support/factories/posted-actions.ts';
import type { PostingExecutor } from '../../support/factories/posting-executor.ts';
import { profileOf } from '../../support/factories/profiles.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

/**
 * What an action hangs on changes between its approval and its release, by calls of owners. An action whose release comes
 * behind the acknowledged change never leaves; one that was released before it is on its way.
 */
const ROUNDS = 100;
/** As many as one organization's executors carry out at once. */
const AT_ONCE = 4;

const receiver = useActionReceiver();
let app: TestApp;
let executor: PostingExecutor;
let owner: Person;
let organizationId: string;
let by: Proposer;

beforeAll(async () => {
  app = await TestApp.start({ ownDatabase: true });
  executor = postingExecutor(app, receiver);
  owner = await app.person();
});
beforeEach(async () => {
  executor.reset();
  organizationId = await organizationOf(owner);
  by = await proposer(app, owner, organizationId);
});
afterAll(() => app.close());

interface Change {
  make(): Promise<Answer>;
  undo(): Promise<unknown>;
  /** When it was committed, by the database. */
  at(): Promise<Date>;
  propose(): Promise<string>;
  /** Where an action ends that met the change. */
  readonly end: { readonly status: string; readonly fact?: string };
}

const path = (rest: string) => `/organizations/${organizationId}${rest}`;
const constrained = (risks: string[]) => owner.patch(path(''), { constraints: { approvalRequiredForRisk: risks } });
const changedAt = async (table: string, id: string) =>
  (await app.db.query<{ at: Date }>(`select updated_at as at from ${table} where id = $1`, [id])).rows[0]!.at;

const CHANGES: Readonly<Record<string, () => Promise<Change>>> = {
  'its profile is disabled': async () => {
    const id = await profileOf(app, organizationId, 'growth');
    const set = (status: string) => owner.patch(path(`/agent-profiles/${id}`), { status });
    return {
      make: () => set('disabled'),
      undo: () => set('enabled'),
      at: () => changedAt('agent_profile', id),
      propose: () => approved(app, owner, by),
      end: { status: 'expired', fact: 'agent_profile' },
    };
  },
  'a fact that it is bound to changes': async () => {
    const set = (title: string) => owner.patch(path(`/chats/${by.chatId}`), { title });
    return {
      make: () => set('Another title'),
      undo: () => set('A chat'),
      at: () => changedAt('chat', by.chatId),
      propose: () => approved(app, owner, by),
      end: { status: 'expired', fact: 'title' },
    };
  },
  'a constraint is tightened that wants an approval': async () => {
    await constrained([]);
    return {
      make: () => constrained(['external']),
      undo: () => constrained([]),
      at: () => changedAt('organization', organizationId),
      // By the policy, which asked nobody.
      propose: async () => (await propose(app, by)).body.data.id as string,
      end: { status: 'awaiting_approval' },
    };
  },
};

describe.each(Object.entries(CHANGES))('where %s', (_, changeOf) => {
  it(`lets nothing leave behind the change, ${ROUNDS} times`, async () => {
    const change = await changeOf();
    let met = 0;
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const ids = [];
      for (let nth = 0; nth < AT_ONCE; nth += 1) ids.push(await change.propose());
      // In every other round the change is acknowledged before anything is released; else it comes as it comes.
      const acknowledged = Promise.withResolvers<void>();
      const waits = (round / AT_ONCE) % 2 === 0;
      let prepared = 0;
      executor.preparing(async () => {
        prepared += 1;
        if (prepared < AT_ONCE) return waits ? acknowledged.promise : undefined;
        const made = change
          .make()
          .then(({ status, text }) => (status === 200 ? acknowledged.resolve() : acknowledged.reject(new Error(text))));
        return waits ? made : undefined;
      });
      await app.runJob('actions-take');
      await acknowledged.promise;
      const changed = await change.at();
      await idle(app);
      for (const id of ids) {
        const { status, sent_at: sentAt, error } = await actionRow(app, id);
        if (sentAt === null) {
          met += 1;
          expect([status, error?.fact]).toEqual([change.end.status, change.end.fact]);
        } else expect([status, sentAt < changed, waits]).toEqual(['succeeded', true, false]);
        expect(receiver.countOf(id)).toBe(sentAt === null ? 0 : 1);
      }
      await change.undo();
    }
    expect(met).toBeGreaterThanOrEqual(ROUNDS / 2);
  }, 120_000);
});

it('expires at once what a profile proposed that is disabled, by itself or with its department', async () => {
  const profileId = await profileOf(app, organizationId, 'growth');
  const switched = (enabled: boolean) => owner.patch(path(''), { config: { departments: { growth: { enabled } } } });
  for (const [disable, enable] of [
    [
      () => owner.patch(path(`/agent-profiles/${profileId}`), { status: 'disabled' }),
      () => owner.patch(path(`/agent-profiles/${profileId}`), { status: 'enabled' }),
    ],
    [() => switched(false), () => switched(true)],
  ] as const) {
    const ids = [await approved(app, owner, by), await awaiting(app, by)];
    expect((await disable()).status).toBe(200);
    for (const id of ids)
      await until('it has expired', async () => (await actionRow(app, id)).error?.fact === 'agent_profile');
    expect((await enable()).status).toBe(200);
  }
});

it('expires in a sweep what a process that died did not tell of, and takes nothing before', async () => {
  const [id, waiting] = [await approved(app, owner, by), await awaiting(app, by)];
  await app.db.query(`update chat set title = 'Changed behind our back' where id = $1`, [by.chatId]);
  await app.runJob('actions-take');
  await idle(app);
  expect(await actionRow(app, id)).toMatchObject({ status: 'expired', error: { fact: 'title' }, sent_at: null });
  await app.runJob('actions-expire');
  expect(await actionRow(app, waiting)).toMatchObject({ status: 'expired', error: { fact: 'title' } });
});

it('expires what nobody decided in time, and what no executor took within a day', async () => {
  const [waiting, untaken, fresh] = [
    await awaiting(app, by),
    await approved(app, owner, by),
    await approved(app, owner, by),
  ];
  await app.db.query(`update action set expires_at = clock_timestamp() where id = $1`, [waiting]);
  await app.db.query(`update action set approved_at = clock_timestamp() - interval '24 hours' where id = $1`, [
    untaken,
  ]);
  await app.runJob('actions-expire');
  expect(await actionRow(app, waiting)).toMatchObject({ status: 'expired', error: { code: 'undecided' } });
  expect(await actionRow(app, untaken)).toMatchObject({ status: 'expired', error: { code: 'untaken' } });
  expect((await actionRow(app, fresh)).status).toBe('approved');
});

it('expires nothing when something changes that it is not bound to', async () => {
  executor.preparing();
  const [id, waiting] = [await approved(app, owner, by), await awaiting(app, by)];
  const other = await profileOf(app, organizationId, 'support');
  const stranger = (await owner.post(path('/chats'), { title: 'Another chat' })).body.data.id as string;
  for (const answer of [
    await owner.patch(path(`/agent-profiles/${other}`), { status: 'disabled' }),
    await owner.patch(path(`/chats/${stranger}`), { title: 'Renamed' }),
    await owner.patch(path(''), { name: 'Another name' }),
    await constrained(['external', 'high']),
    await constrained([]),
  ])
    expect(answer.status).toBe(200);
  await app.runJob('actions-expire');
  expect([(await actionRow(app, id)).status, (await actionRow(app, waiting)).status]).toEqual([
    'approved',
    'awaiting_approval',
  ]);
  await app.runJob('actions-take');
  await idle(app);
  expect((await actionRow(app, id)).status).toBe('succeeded');
  // Loosening approves nothing.
  expect((await actionRow(app, waiting)).status).toBe('awaiting_approval');
  expect((await onAction(owner, by.run, waiting, 'approve')).status).toBe(200);
});

it('expires what a connector cannot do any more when it is taken', async () => {
  const id = await approved(app, owner, by);
  expect((await owner.patch(path(`/chats/${by.chatId}`), { status: 'archived' })).status).toBe(200);
  await app.runJob('actions-take');
  await idle(app);
  expect(await actionRow(app, id)).toMatchObject({ status: 'expired', error: { code: 'unusable' }, sent_at: null });
});

it('sends nothing of which the digest is not the approved one', async () => {
  executor.preparing((action) =>
    app.db.query(`update action set arguments = '{"number":-1}' where id = $1`, [action.id]),
  );
  const id = await approved(app, owner, by);
  await app.runJob('actions-take');
  await idle(app);
  expect(await actionRow(app, id)).toMatchObject({ status: 'not_executed', error: { code: 'digest_mismatch' } });
  expect(receiver.countOf(id)).toBe(0);
});
