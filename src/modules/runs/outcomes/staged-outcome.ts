import { unsafeTexts } from '../../../kernel/logging/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import type { Outcome, StagedOutcomeKind } from '../run.state.ts';
import type { StageOutcomeDto } from './staged-outcome.dto.ts';

type Field = Exclude<keyof StageOutcomeDto, 'kind' | 'summary'>;

const FIELDS: Readonly<Record<StagedOutcomeKind, readonly Field[]>> = {
  planned: ['expectedGraphRevision', 'operations'],
  handoff: ['inboxItemId'],
  verification: ['verdict', 'findings'],
  learning: ['expectedRevision', 'watermarkTaskId', 'lessons', 'suggestions'],
};
const ALL = Object.values(FIELDS).flat();

/** The outcome that a body is: `kind`, `summary` and exactly the fields of its kind, with distinct keys; 400 otherwise. */
export function stagedOutcome(body: StageOutcomeDto): Outcome {
  const { kind, summary } = body;
  const own = FIELDS[kind];
  const issues = ALL.flatMap((field): Issue[] => {
    const given = body[field] !== undefined;
    if (given === own.includes(field)) return [];
    return [
      given
        ? issueAt(field, EdgeIssues.notOfKind, `does not belong to an outcome of kind "${kind}"`)
        : issueAt(field, EdgeIssues.required),
    ];
  });
  for (const [field, list] of Object.entries({ lessons: body.lessons ?? [], suggestions: body.suggestions ?? [] }))
    for (const [place, { key }] of list.entries())
      if (list.findIndex((other) => other.key === key) < place)
        issues.push(issueAt(`${field}.${place}.key`, EdgeIssues.duplicateItem, 'is the key of another item'));
  if (kind === 'learning')
    issues.push(...unsafeTexts({ summary, lessons: body.lessons, suggestions: body.suggestions }));
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  return { kind, summary, ...Object.fromEntries(own.map((field) => [field, body[field]])) };
}
