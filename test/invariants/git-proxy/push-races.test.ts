import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import { keptOf, oneCommit, pushBytes, type PushParts, reasonIn, sendPush } from '../../support/git/pushing.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import type { WorkCopy } from '../../support/git/work-copy.ts';

/** The environment asks for more. */
const ROUNDS = Number(process.env.PUSH_RACES ?? 4);

const code = useCodeHost();
let agent: GitAgent;
let copy: WorkCopy;
let branches = 0;
beforeAll(async () => {
  copy = await code.cloneAs(await code.gitAgent());
});
beforeEach(async () => {
  agent = await code.gitAgent();
  await code.app.db.query('update task set max_actions = 10000 where id = $1', [agent.taskId]);
});

const push = (parts: PushParts) => sendPush(agent, pushBytes(parts));
const commit = () => oneCommit(copy, `refs/heads/race-${(branches += 1)}`);
const statusesOf = async (ref: string) =>
  (
    await code.app.db.query<{ id: string; status: string; revision: number }>(
      `select a.id, a.status from action a join git_push g on g.action_id = a.id where g.ref = $1 order by a.status`,
      [ref],
    )
  ).rows;
const approve = (id: string) => code.place.owner.post(code.place.path(`/actions/${id}/approve`), {});

it(`leaves one of two pushes of a branch that come together, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await commit();
    const second = await oneCommit(copy, first.ref!);
    const answers = await Promise.all([push(first), push(second)]);
    for (const answer of answers) expect(reasonIn(answer)).toMatch(/^approval required/);
    expect((await statusesOf(first.ref!)).map(({ status }) => status)).toEqual(['awaiting_approval', 'cancelled']);
  }
  const { notes, pushes, objects } = await keptOf(code);
  expect([notes, objects]).toEqual([0, pushes]);
});

it(`makes one action of a push that comes three times at once, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = await commit();
    const before = await keptOf(code);
    const answers = await Promise.all([push(parts), push(parts), push(parts)]);
    expect(new Set(answers.map(reasonIn)).size).toBe(1);
    expect(await keptOf(code)).toEqual({
      actions: before.actions + 1,
      pushes: before.pushes + 1,
      objects: before.objects + 1,
      notes: 0,
    });
  }
});

it(`approves a push or takes a newer one, never both, ${ROUNDS} times`, async () => {
  // What is approved goes nowhere, so that it stays under way.
  code.host.mishap = () => ({ kind: 'answer', status: 503 });
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await commit();
    await push(first);
    const id = (await statusesOf(first.ref!))[0]!.id;
    const newer = await oneCommit(copy, first.ref!);
    let answer: Awaited<ReturnType<typeof push>> | undefined;
    let status: number | undefined;
    const pushing = async () => void (answer = await push(newer));
    const approving = async () => void ({ status } = await approve(id));
    const place = { organizationId: code.place.organizationId, taskId: agent.taskId };
    const isReplaced = round % 2 === 0;
    await meetAtLock(code.app, taskLock(place), isReplaced ? [pushing, approving] : [approving, pushing]);
    const unresolved = (await statusesOf(first.ref!)).filter((each) => each.status !== 'cancelled');
    expect(unresolved).toHaveLength(1);
    expect(unresolved[0]!.id === id).toBe(!isReplaced);
    expect([status, reasonIn(answer!)]).toEqual(
      isReplaced
        ? [409, expect.stringMatching(/^approval required/)]
        : [200, expect.stringMatching(/^another push to the branch is under way/)],
    );
  }
});
