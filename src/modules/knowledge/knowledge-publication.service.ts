import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import { canonicalDigest } from '../../kernel/crypto/index.ts';
import { Transactions, type Tx } from '../../kernel/database/index.ts';
import {
  ApiError,
  EdgeErrors,
  EdgeIssues,
  invalid,
  type Issue,
  issueAt,
  type IssueRow,
} from '../../kernel/errors/index.ts';
import { Existing } from '../../kernel/http/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import { unsafeTexts } from '../../kernel/logging/index.ts';
import { ActivityLogService, type Department } from '../organizations/index.ts';
import { type Audience, audienceOf } from './audience.queries.ts';
import { ConnectorStandings } from './connector-standings.port.ts';
import { EvidenceService } from './evidence.service.ts';
import {
  type Head,
  headOf,
  hidePassages,
  insertKnowledge,
  insertPassage,
  lockKey,
  lockPublisher,
  type NewKnowledge,
  placeOfTask,
  presentTime,
  publishedBefore,
  publishedCount,
  revokedFinding,
  supersede,
  whetherPast,
} from './knowledge-moves.queries.ts';
import { toKnowledgeDetail } from './knowledge-row.ts';
import type { KnowledgeDetailDto, PublishKnowledgeDto } from './knowledge.dto.ts';
import { KnowledgeErrors, KnowledgeIssues } from './knowledge.errors.ts';
import { ownKnowledge } from './knowledge.queries.ts';
import { isMaterialKey, MATERIAL_KEYS } from './knowledge.state.ts';
import { wordsDigestOf, termsOfRecord, titleWordsOf } from './words/record-words.ts';

/** Records that one run or turn may publish. */
const MOST_RECORDS = 50;

/** Where a record comes from: the run with its task and tree, or nothing of these for a turn. */
interface Source {
  readonly sourceRunId: string | null;
  readonly sourceTaskId: string | null;
  readonly sourceRootTaskId: string | null;
}

/** What an execution publishes, checked but for what else holds under its key. */
interface Candidate extends Source {
  readonly body: PublishKnowledgeDto;
  /** Those that the body requires and those that its sources were read through. */
  readonly requiredConnectorKeys: readonly string[];
  readonly contentDigest: string;
  readonly findingDigest: string;
}

/** Takes what runs and turns find out: bound to evidence, one chain a key, never for more readers than before. */
@Injectable()
export class KnowledgePublicationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly evidence: EvidenceService,
    private readonly standings: ConnectorStandings,
    private readonly activity: ActivityLogService,
  ) {}

  publish(
    execution: ExecutionPrincipal,
    body: PublishKnowledgeDto,
  ): Promise<KnowledgeDetailDto | Existing<KnowledgeDetailDto>> {
    const requiredConnectorKeys = connectorKeysOf(body);
    refuseUnsound(body, requiredConnectorKeys);
    const { expectedSupersedes: _expected, ...content } = body;
    const contentDigest = canonicalDigest(content);
    const findingDigest = wordsDigestOf(body.finding);
    const access = this.executions.access(execution, { lane: 'ordinary' });
    return this.transactions.through(access, async (tx) => {
      const source = await this.holdSource(tx, execution);
      const standings = await this.standings.of(tx, execution.agentProfileId);
      const audience = audienceOf(execution, standings);
      await this.refuseUnfounded(tx, execution, body, audience);
      const candidate = { ...source, body, requiredConnectorKeys, contentDigest, findingDigest };
      const { id, isNew } = await this.place(tx, execution, audience, candidate);
      const [row] = await tx.rows(ownKnowledge(tx.organizationId, audience, id));
      const record = toKnowledgeDetail(row!);
      return isNew ? record : new Existing(record);
    });
  }

  /** Holds the execution, so that nothing is published behind its end. */
  private async holdSource(tx: Tx, execution: ExecutionPrincipal): Promise<Source> {
    const held = await this.executions.hold(tx, execution);
    if (held.execution === 'chat_turn') return { sourceRunId: null, sourceTaskId: null, sourceRootTaskId: null };
    const { taskId } = held;
    const [task] = await tx.rows(placeOfTask(tx.organizationId, taskId));
    return { sourceRunId: execution.executionId, sourceTaskId: taskId, sourceRootTaskId: task!.rootTaskId };
  }

  /** 400 for evidence, connectors and times that are none. */
  private async refuseUnfounded(
    tx: Tx,
    execution: ExecutionPrincipal,
    body: PublishKnowledgeDto,
    { usableKeys }: Audience,
  ): Promise<void> {
    const issues: Issue[] = await this.evidence.issuesOf(tx, execution, body.evidence, 'evidence');
    const unusable = (key: string | undefined) => key !== undefined && !usableKeys.includes(key);
    for (const [index, key] of body.requiredConnectorKeys.entries())
      if (unusable(key)) issues.push(issueAt(`requiredConnectorKeys.${index}`, EdgeIssues.unknownReference));
    for (const [index, { connectorKey }] of body.sourceVersions.entries())
      if (unusable(connectorKey))
        issues.push(issueAt(`sourceVersions.${index}.connectorKey`, EdgeIssues.unknownReference));
    if (body.validUntil !== undefined) {
      const [time] = await tx.rows(whetherPast(body.validUntil));
      if (time!.isPast) issues.push(issueAt('validUntil', EdgeIssues.notInFuture));
    }
    if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  }

  /** Publishes under the key's lock, unless it was published before. */
  private async place(
    tx: Tx,
    execution: ExecutionPrincipal,
    audience: Audience,
    candidate: Candidate,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { organizationId } = tx;
    const { body, contentDigest, findingDigest } = candidate;
    const [, , [head], [before], [revoked], [published], [time]] = await tx.batch([
      lockPublisher(execution.executionId),
      lockKey(organizationId, body.key),
      headOf(organizationId, audience, body.key),
      publishedBefore(execution, body.key, contentDigest),
      revokedFinding(organizationId, audience, findingDigest),
      publishedCount(execution),
      presentTime(),
    ]);
    // A call that is sent again must not climb over a record that came after its first.
    if (before) return { id: before.id, isNew: false };
    if (head && !mayFollow(head, execution)) throw refused('key', KnowledgeIssues.keyTaken);
    if (head?.contentDigest === contentDigest) return { id: head.id, isNew: false };
    if (body.expectedSupersedes !== undefined && body.expectedSupersedes !== (head?.id ?? null))
      throw refused('expectedSupersedes', KnowledgeIssues.supersededMeanwhile);
    if (revoked) throw refused('finding', KnowledgeIssues.revokedFinding, becauseOf(revoked.reason));
    const department = departmentOf(execution, head, body);
    if (head) refuseWider(head, candidate);
    if (published!.count >= MOST_RECORDS) throw refused('key', KnowledgeIssues.tooManyRecords);
    const id = newId();
    await this.insert(tx, execution, audience, {
      ...candidate,
      id,
      department,
      head,
      retainedAt: time!.now,
    });
    return { id, isNew: true };
  }

  private async insert(
    tx: Tx,
    execution: ExecutionPrincipal,
    { stamps: present }: Audience,
    candidate: Candidate & {
      readonly id: string;
      readonly department: Department | null;
      readonly head: Head | undefined;
      readonly retainedAt: string;
    },
  ): Promise<void> {
    const { organizationId } = tx;
    const { id, body, head, department, requiredConnectorKeys, ...source } = candidate;
    const { key, title, finding, applicability, procedure, visibility, sourceVersions, evidence } = body;
    const stamps = Object.fromEntries(requiredConnectorKeys.map((each) => [each, present[each] ?? null]));
    const copies = {
      origin: 'execution' as const,
      visibility,
      department,
      requiredConnectorKeys,
      stamps,
      validUntil: body.validUntil ?? null,
    };
    const record: NewKnowledge = {
      ...copies,
      ...source,
      id,
      key,
      title,
      titleWords: titleWordsOf(title),
      finding,
      applicability,
      procedure,
      sourceVersions,
      evidence,
      authorProfileKey: execution.profileKey,
      executionId: execution.executionId,
      supersedes: head?.id ?? null,
    };
    await tx.batch([
      ...(head ? [supersede(organizationId, head.id, id), hidePassages(organizationId, head.id)] : []),
      insertKnowledge(organizationId, record),
      insertPassage(organizationId, id, copies, { ordinal: 0, text: null, terms: termsOfRecord(body) }),
      ...this.activity.entry(tx, {
        actor: execution,
        verb: 'knowledge.published',
        subject: { kind: 'knowledge', id, label: title },
        details: { key, supersedes: head?.id ?? null },
      }),
    ]);
  }
}

/** What is wrong with a body by itself. */
function refuseUnsound(body: PublishKnowledgeDto, requiredConnectorKeys: readonly string[]): void {
  const issues = unsafeTexts(body);
  if (body.visibility === 'restricted' && requiredConnectorKeys.length === 0)
    issues.push(issueAt('requiredConnectorKeys', EdgeIssues.required, 'is required of a restricted record'));
  if (isMaterialKey(body.key)) issues.push(issueAt('key', EdgeIssues.notPermitted, OF_OWNERS));
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
}

const OF_OWNERS = `must not begin with ${MATERIAL_KEYS}: such a key is that of material which owners brought in`;

function connectorKeysOf({ requiredConnectorKeys, sourceVersions }: PublishKnowledgeDto): string[] {
  const read = sourceVersions.flatMap(({ connectorKey }) => connectorKey ?? []);
  return [...new Set([...requiredConnectorKeys, ...read])].toSorted();
}

/**
 * Whether an author may supersede a record: it can read it, their departments are equal or one side has none, and it is no
 * material, which only owners take back.
 */
function mayFollow(head: Head, { department }: ExecutionPrincipal): boolean {
  if (head.origin === 'material') return false;
  return head.mayRead && (head.department === null || department === null || head.department === department);
}

/** The author's, or where it has none that of the record which it supersedes. */
function departmentOf(
  { department }: ExecutionPrincipal,
  head: Head | undefined,
  { visibility }: PublishKnowledgeDto,
): Department | null {
  const own = (department as Department | null) ?? head?.department ?? null;
  if (visibility === 'department' && own === null)
    throw invalid('visibility', EdgeIssues.notPermitted, 'must be another one: you have no department');
  return own;
}

function refuseWider(head: Head, { body, requiredConnectorKeys }: Candidate): void {
  if (head.visibility === 'department' && body.visibility !== 'department')
    throw refused('visibility', KnowledgeIssues.audienceWidened);
  if (!head.requiredConnectorKeys.every((key) => requiredConnectorKeys.includes(key)))
    throw refused('requiredConnectorKeys', KnowledgeIssues.audienceWidened);
}

function becauseOf(reason: string | null): string | undefined {
  return reason === null ? undefined : `was revoked by an owner, do not publish it again: ${reason}`;
}

function refused(path: string, issue: IssueRow, message?: string): ApiError {
  return new ApiError(KnowledgeErrors.refused, { issues: [issueAt(path, issue, message)] });
}
