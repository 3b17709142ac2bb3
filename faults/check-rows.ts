import type { Findings } from './findings.ts';
import type { Rows, RunRow } from './rows.ts';

const ENDED_TASK = new Set(['completed', 'failed', 'cancelled']);
const OPEN_REQUEST = new Set(['queued', 'claimed', 'running']);
const LIVE_RUN = new Set(['starting', 'running']);
/** Most runs at once of a new organization and of its profiles. */
const CAPACITY = { organization: 10, profile: 3 };

/** Checks the promises that the rows alone can break. */
export function checkRows(rows: Rows, findings: Findings): void {
  checkRuns(rows, findings);
  checkCounters(rows, findings);
  checkEnds(rows, findings);
  checkOrder(rows, findings);
  checkIdentifiers(rows, findings);
}

/**
 * Checks one live run per request, one success per request, one result per task, and that nothing of a run was stored
 * after its end.
 */
function checkRuns({ runs, tasks, logs, artifacts, checkpoints }: Rows, { doubled, wrong }: Findings): void {
  for (const [request, own] of Map.groupBy(runs, (run) => run.requestId)) {
    if (most(own) > 1) doubled.push(`two runs of request ${request} were live at once`);
    if (own.filter(({ status }) => status === 'succeeded').length > 1)
      doubled.push(`request ${request} succeeded twice`);
  }
  for (const [id, own] of Map.groupBy(runs, (run) => run.organization))
    if (most(own) > CAPACITY.organization) wrong.push(`organization ${id} had ${most(own)} live runs`);
  for (const [id, own] of Map.groupBy(runs, (run) => run.profile))
    if (most(own) > CAPACITY.profile) wrong.push(`profile ${id} had ${most(own)} live runs`);

  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const run of runs)
    if (run.hasOutput && run.status !== 'succeeded' && run.status !== 'cancelled')
      wrong.push(`run ${run.id} is ${run.status} and has an output`);
  for (const { runId, sequence, receivedAt } of logs)
    if (receivedAt > endOf(byId, runId)) wrong.push(`entry ${sequence} of run ${runId} landed behind its end`);
  for (const { runId, sha256, storedAt } of artifacts)
    if (storedAt > endOf(byId, runId)) wrong.push(`artifact ${sha256} of run ${runId} landed behind its end`);
  for (const { runId, version, written } of checkpoints)
    if (version !== written) doubled.push(`version ${written} of the checkpoint of run ${runId} is ${version}`);

  const results = new Map(runs.filter(({ status }) => status === 'succeeded').map((run) => [run.summary, run]));
  for (const { id, status, summary } of tasks)
    if (status === 'completed' && results.get(summary)?.taskId !== id)
      wrong.push(`the result of task ${id} is of no run of its own`);
}

/** The most runs that were live at one moment. */
function most(runs: readonly RunRow[]): number {
  const moves = runs.flatMap(({ startedAt, finishedAt }) => [
    { at: startedAt, by: 1 },
    { at: finishedAt ?? Infinity, by: -1 },
  ]);
  let [live, top] = [0, 0];
  for (const { by } of moves.toSorted((a, b) => a.at - b.at || a.by - b.by)) top = Math.max(top, (live += by));
  return top;
}

function endOf(runs: ReadonlyMap<string, RunRow>, runId: string): number {
  return runs.get(runId)?.finishedAt ?? Infinity;
}

/** Checks that counters equal the rows that exist. */
function checkCounters({ tasks, requests, runs }: Rows, { doubled, lost, wrong }: Findings): void {
  const ofTask = Map.groupBy(runs, (run) => run.taskId);
  const ofRequest = Map.groupBy(runs, (run) => run.requestId);
  for (const { id, runCount, consumed, maxRuns } of tasks) {
    const own = ofTask.get(id) ?? [];
    // Not the task's fault, so its budget is unchanged.
    const refunds = own.filter(({ status, errorClass, cancelRequested }) =>
      status === 'expired' ? !cancelRequested : status === 'failed' && errorClass === 'infrastructure',
    ).length;
    const found = `task ${id} counts ${runCount} runs, ${consumed} consumed; it has ${own.length}, ${refunds} given back`;
    if (runCount > own.length) lost.push(found);
    else if (runCount < own.length || consumed !== own.length - refunds || consumed > maxRuns) wrong.push(found);
  }
  for (const { id, attempts, maxAttempts } of requests) {
    const own = ofRequest.get(id) ?? [];
    const numbers = own.map(({ attempt }) => attempt).toSorted((a, b) => a - b);
    if (new Set(numbers).size < numbers.length) doubled.push(`request ${id} has one attempt twice: ${numbers.join()}`);
    if (attempts !== own.length || attempts > maxAttempts)
      wrong.push(`request ${id} counts ${attempts} attempts of ${maxAttempts}; it has ${numbers.join()}`);
  }
}

/** Checks that everything has ended, once, by the activity log. */
function checkEnds({ tasks, requests, runs, activity }: Rows, { doubled, lost, stuck }: Findings): void {
  for (const { id, kind, status, blockers, repaired } of tasks) {
    if (kind !== 'task') continue;
    const open = requests.filter((request) => request.taskId === id && OPEN_REQUEST.has(request.status));
    if (!ENDED_TASK.has(status))
      stuck.push(`task ${id} is ${status} ${JSON.stringify(blockers)}, requests ${JSON.stringify(open)}`);
    else if (open.length > 0) stuck.push(`task ${id} is ${status} and has a request that is ${open[0]!.status}`);
    if (repaired) stuck.push(`task ${id} stood still until a sweep found it`);
  }
  const count = new Map(activity.map((row) => [`${row.verb} ${row.subjectId}`, row.count]));
  const times = (verb: string, id: string) => count.get(`${verb} ${id}`) ?? 0;
  const once = (verb: string, id: string) => {
    if (times(verb, id) > 1) doubled.push(`${verb} ${id} happened ${times(verb, id)} times`);
    if (times(verb, id) < 1) lost.push(`${verb} ${id} is not in the activity log`);
  };
  for (const { id, status } of runs) {
    if (LIVE_RUN.has(status)) stuck.push(`run ${id} is ${status}`);
    else once(`run.${status}`, id);
    const ends = ['succeeded', 'failed', 'cancelled', 'expired'].filter((end) => times(`run.${end}`, id) > 0);
    if (ends.length > 1) doubled.push(`run ${id} ended as ${ends.join(' and ')}`);
  }
  for (const { id, status } of tasks) {
    if (status === 'completed' || status === 'cancelled') once(`task.${status}`, id);
    // A task may fail again only after an owner retried it.
    if (times('task.failed', id) > times('task.retried', id) + 1) doubled.push(`task ${id} failed more than once`);
    if (times('task.completed', id) > 0 && status !== 'completed')
      doubled.push(`task ${id} completed and is ${status}`);
  }
}

/** Checks that no task started before its requirements were met. */
function checkOrder({ dependencies, runs }: Rows, { wrong }: Findings): void {
  const ofTask = Map.groupBy(runs, (run) => run.taskId);
  for (const { taskId, dependsOn, required, status, settledAt } of dependencies) {
    if (!required || status === 'waived') continue;
    for (const { id, startedAt } of ofTask.get(taskId) ?? [])
      if (status !== 'satisfied' || settledAt === null || settledAt > startedAt)
        wrong.push(`run ${id} of task ${taskId} started before task ${dependsOn} was completed (${status})`);
  }
}

/** Checks that the numbers of an organization's tasks are 1, 2, 3 and so on, in each scope. */
function checkIdentifiers({ tasks }: Rows, { doubled, lost }: Findings): void {
  for (const [scope, own] of Map.groupBy(tasks, (task) => `${task.organization} ${task.scope}`)) {
    const numbers = new Set(own.map((task) => task.number));
    if (numbers.size < own.length) doubled.push(`numbers of ${scope} are given twice`);
    if (Math.max(...numbers) !== numbers.size) lost.push(`numbers of ${scope} have gaps`);
  }
}
