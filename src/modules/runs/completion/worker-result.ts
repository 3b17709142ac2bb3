import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { WorkerResultDto } from './run-completion.dto.ts';
import type { Outcome, OutcomeKind } from '../run.state.ts';

type Field = Exclude<keyof WorkerResultDto, 'kind' | 'summary' | 'staged'>;

/** The fields of each kind that a worker decides; of a kind that an agent stages it repeats kind and summary. */
const FIELDS: Readonly<Partial<Record<OutcomeKind, Field>>> = {
  completed: 'artifacts',
  action_wait: 'actionIds',
  handoff: 'inboxItemId',
  integration_wait: 'requirements',
};
const ALL = Object.values(FIELDS);

/** Throws 400 where fields and kind do not go together, or paths repeat. */
export function checkWorkerResult(result: WorkerResultDto): void {
  const own = FIELDS[result.kind];
  for (const field of ALL)
    if (result[field] !== undefined && field !== own)
      throw invalid(
        `output.result.${field}`,
        EdgeIssues.notOfKind,
        `does not belong to an outcome of kind "${result.kind}"`,
      );
  const paths = (result.artifacts ?? []).map(({ path }) => path);
  const repeated = paths.findIndex((path, index) => paths.indexOf(path) < index);
  if (repeated >= 0)
    throw invalid(
      `output.result.artifacts.${repeated}.path`,
      EdgeIssues.duplicateItem,
      'is the path of another artifact',
    );
}

/** The outcome that a worker's own result is, where nothing was staged; 400 where it lacks the fields of its kind. */
export function outcomeOf(result: WorkerResultDto): Outcome {
  const { kind, summary } = result;
  const field = FIELDS[kind];
  if (!field) return { kind, summary };
  if (kind === 'completed') return { kind, summary, artifacts: result.artifacts ?? [] } as Outcome;
  if (result[field] === undefined) throw invalid(`output.result.${field}`, EdgeIssues.required);
  return { kind, summary, [field]: result[field] };
}
