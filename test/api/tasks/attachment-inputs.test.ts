import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { attached } from '../../support/factories/attachments.ts';
import { createChat } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { checkPlan, planOf } from '../../support/factories/plans.ts';
import { createTask, taskBody } from '../../support/factories/tasks.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;

beforeAll(async () => {
  organizationId = await organizationOf(owner);
});

const input = async (organization = organizationId) => {
  const chatId = await createChat(owner, organization);
  return { kind: 'attachment', chatId, attachmentId: await attached(owner, { organizationId: organization, chatId }) };
};
const spec = (...inputs: object[]) => ({ objective: 'Read it', inputs });
const post = (...inputs: object[]) =>
  owner.post(`/organizations/${organizationId}/tasks`, taskBody({ spec: spec(...inputs) }));

describe('attachments among the inputs of a task', () => {
  it('201: are kept as they were named', async () => {
    const [first, second] = [await input(), await input()];
    const { status, body } = await post(first, { kind: 'text', text: 'And this' }, second, first);
    expect([status, body.data.spec.inputs]).toEqual([201, [first, { kind: 'text', text: 'And this' }, second, first]]);
  });

  it('400: where there is no such chat, or no such attachment in it', async () => {
    const [there, other, gone] = [await input(), await input(), await input()];
    await owner.delete(`/organizations/${organizationId}/chats/${gone.chatId}`);
    const { status, body } = await post(
      there,
      gone,
      await input(await organizationOf(owner)),
      { ...there, chatId: randomUUID() },
      { ...there, attachmentId: randomUUID() },
      { ...there, attachmentId: other.attachmentId },
    );
    const places = body.error.issues.map((issue: { path: string; code: string }) => `${issue.path}: ${issue.code}`);
    expect([status, places]).toEqual([
      400,
      [
        'spec.inputs.1.chatId: unknown_reference',
        'spec.inputs.2.chatId: unknown_reference',
        'spec.inputs.3.chatId: unknown_reference',
        'spec.inputs.4.attachmentId: unknown_reference',
        'spec.inputs.5.attachmentId: unknown_reference',
      ],
    ]);
  });

  it('may be those of tasks that a plan creates', async () => {
    const { id } = await createTask(owner, organizationId, { phase: 'plan' });
    const there = await input();
    const plan = (...inputs: object[]) =>
      planOf(1, [{ kind: 'create_task', ref: 'read', title: 'Read', spec: spec(...inputs) }]);
    expect(await checkPlan(app, organizationId, id, plan(there))).toEqual([]);
    expect(await checkPlan(app, organizationId, id, plan(there, { ...there, attachmentId: randomUUID() }))).toEqual([
      'operations.0.spec.inputs.1.attachmentId: unknown_reference',
    ]);
  });
});
