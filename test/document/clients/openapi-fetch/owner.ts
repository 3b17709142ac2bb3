import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

/** What an owner does first, with the client of openapi-typescript and openapi-fetch. Prints what came of it as JSON. */
type Task = components['schemas']['Task'];
type ChatEvent = components['schemas']['ChatSnapshotEvent' | 'ChatDeltaEvent' | 'ChatMessageEvent'];

const { BUSINESS_RUNNER_URL: baseUrl, OWNER_TOKEN } = process.env as Record<string, string>;
const api = createClient<paths>({ baseUrl: baseUrl!, headers: { authorization: `Bearer ${OWNER_TOKEN}` } });

const organization = await api.POST('/organizations', {
  params: { header: { 'Idempotency-Key': randomUUID() } },
  body: { name: 'Acme', website: 'acme.example', timezone: 'Europe/Berlin', defaultCurrency: 'EUR' },
});
if (organization.error) throw new Error(organization.error.error.code);
const organizationId = organization.data.data.organization.id;
const chatId = organization.data.data.chat.id;
const path = { organizationId };

const created = await api.POST('/organizations/{organizationId}/tasks', {
  params: { path },
  body: {
    title: 'Rank the customers',
    spec: { objective: 'Rank them', inputs: [{ kind: 'text', text: 'By revenue' }] },
  },
});
if (created.error) throw new Error(created.error.error.code);
const task: Task = created.data.data;

const why = await api.GET('/organizations/{organizationId}/tasks/{taskRef}/why', {
  params: { path: { ...path, taskRef: task.identifier } },
});
const runs = await api.GET('/organizations/{organizationId}/runs', { params: { path, query: { taskId: task.id } } });
const unknown = await api.GET('/organizations/{organizationId}/tasks/{taskRef}', {
  params: { path: { ...path, taskRef: 'OPS-99' } },
});
const refused: string | undefined = unknown.error?.error.code;

await api.POST('/organizations/{organizationId}/chats/{chatId}/messages', {
  params: { path: { ...path, chatId } },
  body: { author: { kind: 'human', displayName: 'Ada' }, parts: [{ kind: 'text', text: 'What is left to do?' }] },
});
const events = await api.GET('/organizations/{organizationId}/chats/{chatId}/events', {
  params: { path: { ...path, chatId } },
  parseAs: 'stream',
});
let stream = '';
for await (const piece of events.data as unknown as AsyncIterable<Uint8Array>) {
  stream += Buffer.from(piece).toString();
  if (/^data: .*\n\n/m.test(stream)) break;
}
const event = JSON.parse(/^data: (.*)$/m.exec(stream)![1]!) as ChatEvent;

const input = task.spec.inputs[0]?.kind === 'text' ? task.spec.inputs[0].text : undefined;
const ended = task.result?.kind === 'completed' ? task.result.artifacts.length : null;
console.log(
  JSON.stringify({
    task: task.identifier,
    input,
    ended,
    mover: why.data?.data.nextMover.kind,
    runs: runs.data?.data.length,
    refused,
    event: event.type === 'chat.delta' ? event.text : event.message.role,
  }),
);
process.exit(0);
