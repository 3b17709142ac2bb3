import { setTimeout as wait } from 'node:timers/promises';
import type { Api, Data } from '../../examples/agent-runtime/src/api.ts';
import type { Decisions } from './decisions.ts';
import { discoveryLine } from './known.ts';
import type { Memory } from './memory.ts';
import { drawTree, type Screen, type TreeTask } from './task-tree.ts';

const LOOK_EVERY_MS = 150;
/** What a task waits for, in words. */
const HELD_BY: Readonly<Record<string, string>> = { handoff: 'an answer', operator: 'an answer', action: 'an action' };
const ENDED = new Set(['completed', 'failed', 'cancelled']);
/** The files of the demo's company. */
export const DATA = 'examples/agent-runtime/data';
const COMPANY = { name: 'Demo', website: 'https://demo.example', timezone: 'Europe/Berlin', defaultCurrency: 'EUR' };
const SPEC = {
  objective: 'Say which customers need an answer first: who pays most, who has a problem, and where in the code it is.',
  inputs: [`${DATA}/orders.csv`, `${DATA}/mailbox.mbox`, 'src'].map((path) => `workspace:${path}`),
  acceptanceCriteria: [{ kind: 'text' as const, description: 'One report that joins what all departments found.' }],
};
const OBJECTIVE = {
  title: 'Weekly review',
  phase: 'plan' as const,
};

type Task = Data<'get', '/organizations/{organizationId}/tasks/{taskRef}'>;

export interface Objective {
  readonly organizationId: string;
  readonly taskId: string;
  readonly identifier: string;
  readonly resumed: boolean;
}

/** Creates the organization, or finds the one that an earlier start of the demo created. */
export async function openOrganization(api: Api, memory: Memory, signal: AbortSignal): Promise<string> {
  if (memory.known.organizationId) return memory.known.organizationId;
  const { organization } = await api.call('post', '/organizations', {
    body: COMPANY,
    idempotencyKey: memory.known.organizationKey,
    signal,
  });
  memory.learn({ organizationId: organization.id });
  return organization.id;
}

/** Creates the objective's task, or finds the one that an earlier start of the demo created. */
export async function handIn(
  api: Api,
  memory: Memory,
  organizationId: string,
  signal: AbortSignal,
): Promise<Objective> {
  const { objectiveKey, round, webhook } = memory.known;
  const resumed = memory.known.taskId !== undefined;
  if (!memory.known.taskId) {
    const uris = [...SPEC.inputs, `webhook:${webhook!.id}`];
    const spec = { ...SPEC, inputs: uris.map((uri) => ({ kind: 'uri' as const, uri })) };
    const { id } = await api.call('post', '/organizations/{organizationId}/tasks', {
      path: { organizationId },
      body: { ...OBJECTIVE, spec, dedupeKey: `demo:${round}` },
      idempotencyKey: objectiveKey,
      signal,
    });
    memory.learn({ taskId: id });
  }
  const taskId = memory.known.taskId!;
  const task = await api.call('get', '/organizations/{organizationId}/tasks/{taskRef}', {
    path: { organizationId, taskRef: taskId },
    signal,
  });
  return { organizationId, taskId, identifier: task.identifier, resumed };
}

/** Draws how far discovery is and the tree of tasks, and has decided what waits for a person, until its root has ended; returns how it ended. */
export async function watch(
  api: Api,
  objective: Objective,
  screen: Screen,
  decisions: Decisions,
  signal: AbortSignal,
): Promise<string> {
  const { organizationId, taskId } = objective;
  const profiles = await api.call('get', '/organizations/{organizationId}/agent-profiles', {
    path: { organizationId },
    signal,
  });
  const keys = new Map(profiles.map(({ id, key }) => [id, key]));
  for (;;) {
    const { tasks } = await api.call('get', '/organizations/{organizationId}/tasks/{taskRef}/graph', {
      path: { organizationId, taskRef: taskId },
      signal,
    });
    const rows = await Promise.all(tasks.map((task) => row(api, task, keys, signal)));
    screen.draw([await discoveryLine({ api, organizationId, signal }), ...drawTree(rows)]);
    const { status } = tasks.find(({ id }) => id === taskId)!;
    if (ENDED.has(status)) return status;
    await decisions.look(signal);
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function row(api: Api, task: Task, keys: ReadonlyMap<string, string>, signal: AbortSignal): Promise<TreeTask> {
  const { id, organizationId, parentId, identifier, title, status, ownerAgentProfileId, state } = task;
  const waitsFor = state.blockers.map((blocker) =>
    'dependsOnTaskId' in blocker ? blocker.dependsOnTaskId : (HELD_BY[blocker.kind] ?? blocker.kind),
  );
  const run = state.activeRunIds[0];
  const logs = run
    ? await api.call('get', '/organizations/{organizationId}/runs/{id}/logs', {
        path: { organizationId, id: run },
        query: { limit: 200 },
        signal,
      })
    : [];
  const doing = logs.toSorted((a, b) => a.sequence - b.sequence).at(-1)?.label ?? '';
  const owner = keys.get(ownerAgentProfileId) ?? '';
  return { id, parentId, identifier, title, status, owner, waitsFor, doing };
}

export interface Delivered {
  readonly task: string;
  readonly kind: string;
  readonly name: string;
  readonly sha256: string;
  readonly runId: string;
}

/** What the tasks of an objective delivered, the objective's own first. */
export async function delivered(api: Api, objective: Objective, signal: AbortSignal): Promise<Delivered[]> {
  const { organizationId, taskId } = objective;
  const { tasks } = await api.call('get', '/organizations/{organizationId}/tasks/{taskRef}/graph', {
    path: { organizationId, taskRef: taskId },
    signal,
  });
  const found: Delivered[] = [];
  for (const { id, identifier } of tasks) {
    const runs = await api.call('get', '/organizations/{organizationId}/runs', {
      path: { organizationId },
      query: { taskId: id, status: ['succeeded'] },
      signal,
    });
    for (const { id: runId, output } of runs) {
      if (output?.result.kind !== 'completed') continue;
      for (const { kind, name, sha256 = '' } of output.result.artifacts) {
        found.push({ task: identifier, kind, name, sha256, runId });
      }
    }
  }
  return found;
}

/** Why an objective did not complete, with a line per task that has a reason. */
export async function reasons(api: Api, objective: Objective, signal: AbortSignal): Promise<string[]> {
  const { organizationId, taskId } = objective;
  const { tasks } = await api.call('get', '/organizations/{organizationId}/tasks/{taskRef}/graph', {
    path: { organizationId, taskRef: taskId },
    signal,
  });
  return tasks.flatMap(({ identifier, status, result }) => {
    if (!result || result.kind === 'completed') return [];
    return [`${identifier} is ${status}: ${result.message} (${result.code})`];
  });
}
