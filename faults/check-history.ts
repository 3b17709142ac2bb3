import type { Findings } from './findings.ts';
import type { Answer, Call, Intent } from './history.ts';
import type { Rows, RunRow, TaskRow } from './rows.ts';

/** A refusal counts as an answer; anything else would be a fault of the service. */
const EXPECTED = new Set([200, 201, 202, 409, 503]);
/** Times in the history are whole milliseconds. */
const CLOCK_STEP_MS = 1;

/**
 * Checks that every acknowledged call is in the database as it was acknowledged, and that none was accepted too late.
 */
export function checkHistory(calls: readonly Call[], rows: Rows, findings: Findings): void {
  const known = new Known(rows);
  const bodies = new Map<string, string>();
  for (const call of calls) {
    for (const answer of call.answers) {
      if (!EXPECTED.has(answer.status))
        findings.wrong.push(`unexpected answer ${answer.status} ${answer.code ?? ''} to ${describe(call)}`);
      if (answer.status !== 200 && answer.status !== 201) continue;
      checkAcknowledged(call, answer, known, findings);
    }
    const { intent } = call;
    if (intent.op !== 'run.complete' && intent.op !== 'run.fail') continue;
    if (!call.answers.some(({ status }) => status === 200)) continue;
    const earlier = bodies.get(intent.runId);
    if (earlier !== undefined && earlier !== intent.digest)
      findings.doubled.push(`run ${intent.runId} was ended by two different calls`);
    bodies.set(intent.runId, intent.digest);
  }
  const created = rows.tasks.filter(({ kind }) => kind === 'task');
  for (const [title, tasks] of Map.groupBy(created, (task) => task.title))
    if (tasks.length > 1) findings.doubled.push(`task "${title}" was created ${tasks.length} times`);
}

/** The rows, by the ids that calls name. */
class Known {
  readonly tasks: ReadonlyMap<string, TaskRow>;
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly edges: ReadonlySet<string>;
  readonly logs: ReadonlyMap<string, string>;
  readonly artifacts: ReadonlySet<string>;
  readonly checkpoints: ReadonlyMap<string, number>;

  constructor(rows: Rows) {
    this.tasks = new Map(rows.tasks.map((task) => [task.id, task]));
    this.runs = new Map(rows.runs.map((run) => [run.id, run]));
    this.edges = new Set(rows.dependencies.map(({ taskId, dependsOn }) => `${taskId} ${dependsOn}`));
    this.logs = new Map(rows.logs.map(({ runId, sequence, label }) => [`${runId} ${sequence}`, label]));
    this.checkpoints = new Map(rows.checkpoints.map(({ runId, version }) => [runId, version]));
    this.artifacts = new Set(rows.artifacts.map(({ runId, sha256 }) => `${runId} ${sha256}`));
  }
}

function checkAcknowledged(call: Call, answer: Answer, known: Known, { lost, wrong }: Findings): void {
  const { intent } = call;
  const lose = (what: string) => lost.push(`${what}: ${describe(call)}`);
  switch (intent.op) {
    case 'task.create': {
      const id = answer.data?.id ?? '';
      if (known.tasks.get(id)?.title !== intent.title) return void lose('no such task');
      for (const dependsOn of intent.dependsOn) if (!known.edges.has(`${id} ${dependsOn}`)) lose('no such dependency');
      return;
    }
    case 'task.cancel':
      if (known.tasks.get(intent.taskId)?.status !== 'cancelled') lose('the task is not cancelled');
      return;
    case 'run.logs':
      for (const sequence of intent.sequences)
        if (known.logs.get(`${intent.runId} ${sequence}`) !== `step ${sequence}`) lose('no such log entry');
      break;
    case 'run.artifact':
      if (!known.artifacts.has(`${intent.runId} ${intent.sha256}`)) lose('no such artifact');
      break;
    case 'run.checkpoint':
      if ((known.checkpoints.get(intent.runId) ?? 0) < intent.version) lose('no such checkpoint');
      break;
    case 'run.complete':
    case 'run.fail': {
      const run = known.runs.get(intent.runId);
      if (run?.digest !== intent.digest || run.status !== answer.data?.status) lose('the run did not end so');
      return;
    }
    case 'task.retry':
    case 'other':
      return;
    default:
  }
  checkInTime(call, intent, answer, known, { lost, wrong });
}

/** Checks that a call under a lease was accepted only while its run was alive: it was sent before the run's end. */
function checkInTime(
  call: Call,
  intent: Extract<Intent, { runId: string }>,
  { sentAt }: Answer,
  { runs }: Known,
  { lost, wrong }: Pick<Findings, 'lost' | 'wrong'>,
): void {
  const run = runs.get(intent.runId);
  if (!run) lost.push(`no such run: ${describe(call)}`);
  else if (run.finishedAt !== null && sentAt > run.finishedAt + CLOCK_STEP_MS)
    wrong.push(`accepted ${Math.round(sentAt - run.finishedAt)} ms behind the end of the run: ${describe(call)}`);
}

function describe({ id, intent }: Call): string {
  return `${id} ${JSON.stringify(intent)}`;
}
