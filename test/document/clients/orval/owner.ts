import { randomUUID } from 'node:crypto';
import {
  getChatEventsFollowUrl,
  messagesPost,
  organizationsCreate,
  runsList,
  type Task,
  tasksCreate,
  tasksRead,
  tasksWhy,
} from './generated/api.ts';
import { send } from './send.ts';

/** What an owner does first, with the client of orval. Prints what came of it as JSON. */
const organization = await organizationsCreate(
  { name: 'Acme', website: 'acme.example', timezone: 'Europe/Berlin', defaultCurrency: 'EUR' },
  { headers: { 'Idempotency-Key': randomUUID() } },
);
if (organization.status !== 201) throw new Error(organization.data.error.code);
const { organization: made, chat } = organization.data.data;

const created = await tasksCreate(made.id, {
  title: 'Rank the customers',
  spec: { objective: 'Rank them', inputs: [{ kind: 'text', text: 'By revenue' }] },
});
if (created.status !== 201) throw new Error('The task was not created.');
const task: Task = created.data.data;

const why = await tasksWhy(made.id, task.identifier);
const runs = await runsList(made.id, { taskId: task.id });
if (why.status !== 200 || runs.status !== 200) throw new Error('The task cannot be read.');
const unknown = await tasksRead(made.id, 'OPS-99');
const refused = unknown.status === 404 ? unknown.data.error.code : undefined;

await messagesPost(made.id, chat.id, {
  author: { kind: 'human', displayName: 'Ada' },
  parts: [{ kind: 'text', text: 'What is left to do?' }],
});
const { data: events } = await send<{ data: Response }>(getChatEventsFollowUrl(made.id, chat.id));
let stream = '';
for await (const piece of events.body as unknown as AsyncIterable<Uint8Array>) {
  stream += Buffer.from(piece).toString();
  if (/^data: .*\n\n/m.test(stream)) break;
}
const event = JSON.parse(/^data: (.*)$/m.exec(stream)![1]!) as { message: { role: string } };

const input = task.spec.inputs[0]?.kind === 'text' ? task.spec.inputs[0].text : undefined;
const ended = task.result?.kind === 'completed' ? task.result.artifacts.length : null;
console.log(
  JSON.stringify({
    task: task.identifier,
    input,
    ended,
    mover: why.data.data.nextMover.kind,
    runs: runs.data.data.length,
    refused,
    event: event.message.role,
  }),
);
process.exit(0);
