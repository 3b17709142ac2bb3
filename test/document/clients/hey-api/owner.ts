import { randomUUID } from 'node:crypto';
import { client } from './generated/client.gen.ts';
import {
  chatEventsFollow,
  messagesPost,
  organizationsCreate,
  runsList,
  type Task,
  tasksCreate,
  tasksRead,
  tasksWhy,
} from './generated/index.ts';

/** What an owner does first, with the client of hey-api. Prints what came of it as JSON. */
const { BUSINESS_RUNNER_URL: baseUrl, OWNER_TOKEN } = process.env as Record<string, string>;
client.setConfig({ baseUrl: baseUrl!, auth: () => OWNER_TOKEN, throwOnError: true });

const { data: organization } = await organizationsCreate({
  headers: { 'Idempotency-Key': randomUUID() },
  body: { name: 'Acme', website: 'acme.example', timezone: 'Europe/Berlin', defaultCurrency: 'EUR' },
  throwOnError: true,
});
const path = { organizationId: organization.data.organization.id };

const { data: created } = await tasksCreate({
  path,
  body: {
    title: 'Rank the customers',
    spec: { objective: 'Rank them', inputs: [{ kind: 'text', text: 'By revenue' }] },
  },
  throwOnError: true,
});
const task: Task = created.data;

const { data: why } = await tasksWhy({ path: { ...path, taskRef: task.identifier }, throwOnError: true });
const { data: runs } = await runsList({ path, query: { taskId: task.id }, throwOnError: true });
const { error } = await tasksRead({ path: { ...path, taskRef: 'OPS-99' }, throwOnError: false });
const refused: string | undefined = error?.error.code;

const chat = { ...path, chatId: organization.data.chat.id };
await messagesPost({
  path: chat,
  body: { author: { kind: 'human', displayName: 'Ada' }, parts: [{ kind: 'text', text: 'What is left to do?' }] },
  throwOnError: true,
});
const { stream } = await chatEventsFollow({ path: chat });
const { value: event } = await stream.next();
if (!event) throw new Error('The stream ended.');

const input = task.spec.inputs[0]?.kind === 'text' ? task.spec.inputs[0].text : undefined;
const ended = task.result?.kind === 'completed' ? task.result.artifacts.length : null;
console.log(
  JSON.stringify({
    task: task.identifier,
    input,
    ended,
    mover: why.data.nextMover.kind,
    runs: runs.data.length,
    refused,
    event: event.type === 'chat.delta' ? event.text : event.message.role,
  }),
);
process.exit(0);
