import { EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { CreateBudgetDto, CreateDependencyDto, TaskDetailsDto } from './task-creation.dto.ts';
import type { NewEdge } from '../graph/task-edges.ts';
import type { TaskSpec } from '../task.entity.ts';
import type { DependencyCondition } from '../graph/task-dependency.state.ts';
import { identifierScope, type TaskKind, type Verification } from '../task.state.ts';
import { TaskIssues } from '../task.errors.ts';
import type { AttachmentInputDto } from '../task-input.dto.ts';

/** The origin of a task; set by the backend, never by the caller. */
export interface TaskOrigin {
  readonly kind?: TaskKind;
  readonly sourceChatId?: string | null;
  readonly sourceMessageId?: string | null;
  readonly createdByRunId?: string | null;
}

/** A task to be created, every reference resolved. */
export interface NewTask extends Required<TaskOrigin> {
  readonly id: string;
  readonly scope: string;
  readonly parentId: string | null;
  readonly ownerAgentProfileId: string;
  readonly phase: 'plan' | 'execute';
  readonly title: string;
  readonly priority: number;
  readonly spec: TaskSpec;
  readonly budget: CreateBudgetDto;
  readonly verification: Verification;
  readonly dedupeKey: string;
  readonly scheduledAt: string | null;
  readonly dueAt: string | null;
  readonly edges: readonly NewEdge[];
  /** The path in the body that names its parent. */
  readonly parentPath: string;
}

/** Looks references up; undefined where one names nothing. */
export interface Directory {
  /** Id or key of the owner of drafts that name none; the operator by default. */
  readonly defaultOwner?: string;
  owner(idOrKey: string): OwnerProfile | undefined;
  task(ref: string): string | undefined;
  /** The part of an input that does not exist. */
  missing(input: AttachmentInputDto): 'chat' | 'attachment' | undefined;
}

export interface Draft {
  readonly id: string;
  readonly details: TaskDetailsDto & {
    readonly dependsOn: readonly CreateDependencyDto[];
    readonly dedupeKey?: string;
  };
  readonly parentId: string | null;
  readonly origin: TaskOrigin;
  /** The draft's path in the body, with a dot behind it unless it is the body itself. */
  readonly path: string;
  /** Which property of it names the parent. */
  readonly parentProperty: 'parentRef' | 'parent';
}

/** References that a draft makes to tasks outside of it. */
export function taskRefsOf({ spec, dependsOn }: Draft['details']): string[] {
  const artifacts = spec.inputs.flatMap((input) => (input.kind === 'artifact' ? [input.taskId] : []));
  return [...artifacts, ...dependsOn.map(({ taskRef }) => taskRef)];
}

/** Attachments that a draft names. */
export function attachmentsIn({ spec }: Draft['details']): AttachmentInputDto[] {
  return spec.inputs.filter((input) => input.kind === 'attachment');
}

/** The profile that a draft names as its owner, by id or key; `defaultOwner` where it names none. */
export function ownerRefOf(
  { ownerAgentProfileId, ownerAgentProfileKey }: TaskDetailsDto,
  defaultOwner = 'operator',
): string {
  return ownerAgentProfileId ?? ownerAgentProfileKey ?? defaultOwner;
}

/** Makes the task of a draft; undefined, with the reasons among `issues`, where it names something unknown. */
export function toNewTask(draft: Draft, directory: Directory, issues: Issue[]): NewTask | undefined {
  const { id, details, parentId, origin, path, parentProperty } = draft;
  const before = issues.length;
  const owner = ownerOf(draft, directory, issues);
  checkInputs(draft, directory, issues);
  checkTimes(draft, issues);
  const edges = edgesOf(draft, directory, issues);
  if (!owner || issues.length > before) return undefined;
  const { spec } = details;
  return {
    id,
    scope: identifierScope(owner.department),
    parentId,
    ownerAgentProfileId: owner.id,
    phase: details.phase,
    title: details.title,
    priority: details.priority,
    spec: { objective: spec.objective, inputs: spec.inputs, acceptanceCriteria: spec.acceptanceCriteria },
    budget: spec.budget,
    verification: spec.verification,
    dedupeKey: details.dedupeKey ?? id,
    scheduledAt: details.scheduledAt ?? null,
    dueAt: details.dueAt ?? null,
    kind: origin.kind ?? 'task',
    sourceChatId: origin.sourceChatId ?? null,
    sourceMessageId: origin.sourceMessageId ?? null,
    createdByRunId: origin.createdByRunId ?? null,
    edges,
    parentPath: path + parentProperty,
  };
}

function ownerOf({ details, path }: Draft, directory: Directory, issues: Issue[]): OwnerProfile | undefined {
  const { ownerAgentProfileId, ownerAgentProfileKey } = details;
  const property = ownerAgentProfileId === undefined ? 'ownerAgentProfileKey' : 'ownerAgentProfileId';
  const owner = directory.owner(ownerRefOf(details, directory.defaultOwner));
  if (!owner) issues.push(unknown(path + property, 'agent profile'));
  else if (ownerAgentProfileKey !== undefined && owner.key !== ownerAgentProfileKey)
    issues.push(issueAt(`${path}ownerAgentProfileKey`, TaskIssues.contradiction));
  return owner;
}

/** A task that is due before it may begin could only be late. */
function checkTimes({ details: { scheduledAt, dueAt }, path }: Draft, issues: Issue[]): void {
  if (scheduledAt === undefined || dueAt === undefined || Temporal.Instant.compare(dueAt, scheduledAt) >= 0) return;
  issues.push(issueAt(`${path}dueAt`, TaskIssues.beforeScheduled));
}

function checkInputs({ details, path }: Draft, directory: Directory, issues: Issue[]): void {
  for (const [index, input] of details.spec.inputs.entries()) {
    const at = `${path}spec.inputs.${index}.`;
    if (input.kind === 'artifact' && !directory.task(input.taskId)) issues.push(unknown(`${at}taskId`, 'task'));
    const missing = input.kind === 'attachment' ? directory.missing(input) : undefined;
    if (missing) issues.push(unknown(`${at}${missing}Id`, missing));
  }
}

function edgesOf({ id, details, path }: Draft, directory: Directory, issues: Issue[]): NewEdge[] {
  const edges: NewEdge[] = [];
  for (const [index, { taskRef, required, condition }] of details.dependsOn.entries()) {
    const at = `${path}dependsOn.${index}.`;
    const dependsOnTaskId = directory.task(taskRef);
    const checked = toCondition(condition, `${at}condition.`, issues);
    if (!dependsOnTaskId) issues.push(unknown(`${at}taskRef`, 'task'));
    else if (edges.some((edge) => edge.dependsOnTaskId === dependsOnTaskId))
      issues.push(issueAt(`${at}taskRef`, EdgeIssues.duplicateItem, 'names the same task again'));
    else if (checked) edges.push({ taskId: id, dependsOnTaskId, required, condition: checked, path: `${at}taskRef` });
  }
  return edges;
}

/** Makes the condition that is stored. */
export function toCondition(
  { kind, artifactKind }: CreateDependencyDto['condition'],
  path: string,
  issues: Issue[],
): DependencyCondition | undefined {
  if (kind === 'artifact' && artifactKind !== undefined) return { kind, artifactKind };
  if (kind === 'completion' && artifactKind === undefined) return { kind };
  issues.push(
    kind === 'artifact'
      ? issueAt(`${path}artifactKind`, EdgeIssues.required)
      : issueAt(`${path}artifactKind`, EdgeIssues.notOfKind, 'belongs to conditions of kind artifact'),
  );
  return undefined;
}

export function unknown(path: string, what: string): Issue {
  return issueAt(path, EdgeIssues.unknownReference, `names no ${what} of this organization`);
}

/** Ids of tasks are made before the tasks, so that they can refer to each other. */
export function draftOf(draft: Omit<Draft, 'id'>): Draft {
  return { id: newId(), ...draft };
}

export interface OwnerProfile {
  readonly id: string;
  readonly key: string;
  readonly department: string | null;
}
