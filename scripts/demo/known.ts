import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../../examples/agent-runtime/src/api.ts';
import type { Objective } from './objective.ts';

const LOOK_EVERY_MS = 200;
const ENDED = new Set(['completed', 'failed', 'cancelled']);
const QUESTION = 'What do we know about our customers?';

export interface Place {
  readonly api: Api;
  readonly organizationId: string;
  readonly signal: AbortSignal;
}

const MARKS: Readonly<Record<string, string>> = { task_created: '▸', evidence_retained: '✓', failed: '✗' };

/** How far the organization is in finding out about itself, in a line. */
export async function discoveryLine({ api, organizationId, signal }: Place): Promise<string> {
  const path = { organizationId };
  const { intentions, departments } = await api.call('get', '/organizations/{organizationId}/discovery', {
    path,
    signal,
  });
  const begun = Object.entries(departments).flatMap(([key, each]) => (each ? [{ key, status: each.status }] : []));
  const parts = [...intentions, ...begun].map(({ key, status }) => `${MARKS[status] ?? '·'} ${key.replace('_', ' ')}`);
  return `Discovery  ${parts.join('  ')}`;
}

/**
 * Waits until the departments have begun, or nothing more is known to come of it soon. No integration is set up here, so the
 * owner says at once that all are.
 */
export async function discover(place: Place): Promise<void> {
  const { api, organizationId, signal } = place;
  const path = { organizationId };
  await api.call('post', '/organizations/{organizationId}/integration-setup/complete', { path, signal });
  await until(place, async () => {
    const found = await api.call('get', '/organizations/{organizationId}/discovery', { path, signal });
    const statuses = [...found.intentions, ...Object.values(found.departments)].map((each) => each?.status);
    return found.status === 'complete' || statuses.includes('failed') ? found : undefined;
  });
}

/** What the organization knows, each record with the file that shows it. */
export async function knowledgeOf({ api, organizationId, signal }: Place): Promise<string[]> {
  const { items: records } = await api.call('get', '/organizations/{organizationId}/knowledge', {
    path: { organizationId },
    query: { origin: 'execution' },
    signal,
  });
  return [
    ...(records.length > 0 ? ['What the organization knows, each with the file that shows it:'] : []),
    ...records.toReversed().flatMap(({ metadata: { key, finding, evidence, authorProfileKey } }) => {
      const [{ runId, path, sha256 }] = evidence as [(typeof evidence)[number]];
      return [`  ${key} (${authorProfileKey}): ${finding}`, `    ${path} at /runs/${runId}/artifacts/${sha256}`];
    }),
  ];
}

/**
 * Beside the objective: once growth has done its part it learns from that, its next task begins with the lesson, and the chat
 * is asked what is known. Returns what there is to say about it; nothing where growth does not get that far.
 */
export async function learnMeanwhile(place: Place, { taskId }: Objective, round: number): Promise<string[]> {
  const { api, organizationId, signal } = place;
  const path = { organizationId };
  const ofGrowth = await until(place, async () => {
    const { tasks } = await api.call('get', '/organizations/{organizationId}/tasks/{taskRef}/graph', {
      path: { ...path, taskRef: taskId },
      signal,
    });
    return tasks.find(({ identifierScope, status }) => identifierScope === 'GRO' && status === 'completed');
  });
  const cycle = await api.call('post', '/organizations/{organizationId}/learning/{profileKey}/refresh', {
    path: { ...path, profileKey: 'growth' },
    signal,
  });
  await ended(place, cycle.taskId);
  const { memory } = await api.call('get', '/organizations/{organizationId}/learning/{profileKey}', {
    path: { ...path, profileKey: 'growth' },
    signal,
  });
  const next = await api.call('post', '/organizations/{organizationId}/tasks', {
    path,
    body: {
      title: 'Look at the customers again',
      ownerAgentProfileKey: 'growth',
      spec: { objective: ofGrowth.spec.objective, inputs: ofGrowth.spec.inputs },
      dedupeKey: `demo:${round}:again`,
    },
    signal,
  });
  await ended(place, next.id);
  return [
    `What growth has learned, revision ${memory?.revision}:`,
    ...(memory?.lessons ?? []).map(({ key, lesson }) => `  ${key}: ${lesson}`),
    `Its next task ${next.identifier} began with:`,
    ...(await broughtBy(place, next.id)).map((line) => `  ${line}`),
    '',
    `Asked in the chat: ${QUESTION}`,
    ...(await answered(place)).map((line) => `  ${line}`),
  ];
}

/** What the manifest of a task's latest run brought from earlier work, as the run logged it. */
export async function broughtBy({ api, organizationId, signal }: Place, taskId: string): Promise<string[]> {
  const [run] = await api.call('get', '/organizations/{organizationId}/runs', {
    path: { organizationId },
    query: { taskId },
    signal,
  });
  if (!run) return [];
  const logs = await api.call('get', '/organizations/{organizationId}/runs/{id}/logs', {
    path: { organizationId, id: run.id },
    query: { limit: 200 },
    signal,
  });
  const brought = logs
    .filter(({ label }) => /^(?:knows|remembers): /.test(label))
    .map(({ label, detail }) => `${label}: ${detail}`)
    .sort();
  return brought.length > 0
    ? brought
    : ['nothing: it shares few words with what is known, so the agent searched itself'];
}

async function answered(place: Place): Promise<string[]> {
  const { api, organizationId, signal } = place;
  const [chat] = await api.call('get', '/organizations/{organizationId}/chats', { path: { organizationId }, signal });
  const { assistantMessage } = await api.call('post', '/organizations/{organizationId}/chats/{chatId}/messages', {
    path: { organizationId, chatId: chat!.id },
    body: { author: { kind: 'human', displayName: 'Owner' }, parts: [{ kind: 'text', text: QUESTION }] },
    idempotencyKey: randomUUID(),
    signal,
  });
  const { parts } = await until(place, async () => {
    const path = { organizationId, id: assistantMessage.id };
    const message = await api.call('get', '/organizations/{organizationId}/messages/{id}', { path, signal });
    return ['complete', 'failed', 'cancelled'].includes(message.status) ? message : undefined;
  });
  return parts.flatMap(({ text }) => text.trimEnd().split('\n'));
}

async function ended(place: Place, taskRef: string): Promise<void> {
  await until(place, async () => {
    const path = { organizationId: place.organizationId, taskRef };
    const options = { path, signal: place.signal };
    const { status } = await place.api.call('get', '/organizations/{organizationId}/tasks/{taskRef}', options);
    return ENDED.has(status) ? status : undefined;
  });
}

async function until<T>({ signal }: Place, look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}
