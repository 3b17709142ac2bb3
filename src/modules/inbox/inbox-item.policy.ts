import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../kernel/errors/index.ts';
import type { NewInboxPresentationDto, OpenInboxItemDto } from './inbox-item.dto.ts';
import type { InboxPresentation, InboxPurpose, InboxSeverity } from './inbox-item.state.ts';

/** Open items that one run or turn may have, agents in one organization, and one profile of what it asks to learn. */
export const OPEN_LIMITS = { ofExecution: 20, ofAgents: 1_000, learningInputs: 10 } as const;

/** The answers to the backend's own questions about a task. */
export const OPERATOR_OPTIONS = {
  retry: {
    id: 'retry',
    label: 'Try again',
    description: 'The task gets a new run; failed attempts count from zero.',
  },
  cancel: {
    id: 'cancel',
    label: 'Cancel the task',
    description: 'It ends cancelled, with all that was made below it.',
  },
} as const;

/** What a body says of the item beside its texts; 400 for what contradicts itself. */
export function detailsOf({ kind, purpose, severity, presentation }: OpenInboxItemDto): {
  readonly purpose: InboxPurpose | null;
  readonly severity: InboxSeverity;
  readonly presentation: InboxPresentation;
} {
  const issues = [...contradictionsOf(presentation)];
  if (kind === 'notification' && purpose !== undefined)
    issues.push(issueAt('purpose', EdgeIssues.notOfKind, 'is only of a question'));
  const intended = kind === 'question' ? (purpose ?? 'task') : null;
  const severities = severitiesOf(intended);
  if (severity !== undefined && !severities.includes(severity))
    issues.push(issueAt('severity', EdgeIssues.notOfKind, `must be ${severities.join(' or ')} here`));
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  return { purpose: intended, severity: severity ?? severities[0], presentation: { ...presentation } };
}

/** The severities that an agent's item may have, the default first. */
function severitiesOf(purpose: InboxPurpose | null): readonly [InboxSeverity, ...InboxSeverity[]] {
  if (purpose === null) return ['info', 'attention'];
  return purpose === 'task' ? ['action_required'] : ['attention'];
}

function* contradictionsOf(presentation: NewInboxPresentationDto): Generator<Issue> {
  const { options, recommendedOptionId, allowFreeText } = presentation;
  const ids = new Set<string>();
  for (const [place, { id }] of (options ?? []).entries()) {
    if (ids.has(id)) yield issueAt(`presentation.options.${place}.id`, EdgeIssues.duplicateItem);
    ids.add(id);
  }
  if (recommendedOptionId !== undefined && !ids.has(recommendedOptionId))
    yield issueAt('presentation.recommendedOptionId', EdgeIssues.unknownReference, 'must be the id of an option');
  if (!allowFreeText && ids.size === 0)
    yield issueAt('presentation.options', EdgeIssues.required, 'is required where allowFreeText is false');
}
