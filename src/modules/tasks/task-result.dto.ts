import { EdgeIssues } from '../../kernel/errors/index.ts';
import { CutText, Formatted, Integer, NestedList, OneOf, Sha256, Text, Uuid } from '../../kernel/validation/index.ts';
import { isRelativePath } from './artifact-path.ts';
import { TaskIssues } from './task.errors.ts';
import { ENDED_TASK_STATUSES, type EndedTaskStatus, TASK_END_CODES } from './task.state.ts';

/** An artifact that a result names: a file of the workspace, an address, or bytes that its run stored. */
export class ArtifactDto {
  @Formatted({
    test: (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    issue: EdgeIssues.invalidSlug,
    what: 'lowercase letters and digits in segments joined by single hyphens, at most 64 characters',
    max: 64,
    example: 'report',
    description: 'Dependencies may wait for an artifact of this kind',
  })
  kind!: string;
  @CutText({ max: 200, example: 'Quarterly report' })
  name!: string;
  @Formatted({
    test: isRelativePath,
    issue: TaskIssues.invalidPath,
    what: 'a relative path with "/" between its segments, none of them empty, "." or ".."',
    max: 500,
    example: 'reports/quarter.md',
    description: 'Unique in the result',
  })
  path!: string;
  @CutText({ max: 2_000, optional: true })
  uri?: string;
  @CutText({ max: 200, optional: true, example: 'text/markdown' })
  mediaType?: string;
  @Integer({
    optional: true,
    example: 5120,
    description: 'With `sha256`, the stored size replaces this one',
  })
  sizeBytes?: number;
  @Sha256({ optional: true, description: 'Names bytes that the run stored before (`PUT …/artifacts/{sha256}`)' })
  sha256?: string;
  @CutText({ max: 4_000, optional: true })
  summary?: string;
}

const COMPLETED = ['completed'];
const NOT_COMPLETED = ['failed', 'cancelled'];

/** What is left of a task that has ended. */
export class TaskResultDto {
  @OneOf(ENDED_TASK_STATUSES, { example: 'completed' })
  kind!: EndedTaskStatus;
  @Text({ kinds: COMPLETED, example: 'Checkout works on mobile again.' })
  summary?: string;
  @NestedList(() => ArtifactDto, { kinds: COMPLETED })
  artifacts?: ArtifactDto[];
  @OneOf(TASK_END_CODES, { kinds: NOT_COMPLETED, example: 'attempts_exhausted' })
  code?: string;
  @Text({ kinds: NOT_COMPLETED, example: 'The last attempt of this phase failed.' })
  message?: string;
  @Uuid({ kinds: NOT_COMPLETED, nullable: true, description: 'The run that failed last' })
  runId?: string | null;
}
