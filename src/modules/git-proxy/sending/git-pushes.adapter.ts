import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import type { Statement, Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../../kernel/http/index.ts';
import { type OpenedBytes, ObjectStore } from '../../../kernel/storage/index.ts';
import {
  type ActionExecutor,
  ActionExecutors,
  type ActionStanding,
  type ActionTarget,
  type ActionToSend,
  type DescribedAction,
  type Look,
  type Prepared,
  type Sent,
  type StoredAction,
} from '../../actions/index.ts';
import { CallLogService, refusedUse } from '../../gateway/index.ts';
import type { ConnectorUse, ConnectorUseRow } from '../../integrations/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { type HostAccess, HostFailure, type HostRepository, RepositoryHostService } from '../host/index.ts';
import { type HostCapabilities, NO_OBJECT } from '../protocol/index.ts';
import { packKey, type PushArguments } from '../push/index.ts';
import { approvedPieces, commandBytes, PackDamaged } from './push-bytes.ts';
import {
  CHANGED,
  DAMAGED,
  failedLook,
  MOVED,
  NO_ANSWER,
  NOT_APPLIED,
  NOT_KEPT,
  NOT_REACHED,
  OTHER_OBJECTS,
} from './push-failures.ts';
import { PushHostService } from './push-host.service.ts';
import { pushOf, PushUseService } from './push-use.service.ts';
import { verdictOf } from './push-verdict.ts';

/** With what a push is sent: the host has said that the branch stands where the push begins. */
interface ReadyPush {
  readonly use: ConnectorUse;
  readonly access: HostAccess;
  readonly capabilities: HostCapabilities;
}

/** From the call of `send` until the request leaves: what was checked in the release is as old as that. */
const LEAVES_WITHIN_MS = 5_000;

/** Sends pushes as they were staged and approved, once. */
@Injectable()
export class GitPushes implements ActionExecutor<ReadyPush | null, ConnectorUseRow> {
  readonly kind = 'git_push';

  constructor(
    executors: ActionExecutors,
    private readonly uses: PushUseService,
    private readonly repositories: RepositoryHostService,
    private readonly host: PushHostService,
    private readonly objects: ObjectStore,
    private readonly log: CallLogService,
    private readonly clock: Clock,
  ) {
    executors.register(this);
  }

  /** Who may push was asked before the body was read; here it is asked again, in the transaction that stages it. */
  async describe(tx: Tx, target: ActionTarget, { mode }: ExecutionPrincipal): Promise<DescribedAction> {
    const [row] = await tx.rows(this.uses.statement(target));
    if (!row) throw invalid('connectorKey', EdgeIssues.unknownReference, 'must be the key of a connector');
    const use = this.uses.useOf(row, mode);
    const refusal = use.refusal(target.toolName);
    if (refusal !== null) throw refusedUse(refusal);
    const standing = this.uses.standingOf(use, target);
    if (standing.unusable !== null) throw new ApiError(GitErrors.notFound);
    return { ...standing, integrationId: row.id, preview: previewOf(pushOf(target)) };
  }

  standing(target: ActionTarget, lock: boolean): Statement<ConnectorUseRow> {
    return this.uses.statement(target, lock);
  }

  /** The mode of the run that pushed does not count any more: what the push was bound to does. */
  standingOf(row: ConnectorUseRow, target: ActionTarget): ActionStanding {
    return this.uses.standingOf(this.uses.useOf(row), target);
  }

  /** Reads the whole pack, and asks the host where the branch stands. */
  async prepare(action: ActionToSend, signal: AbortSignal): Promise<Prepared<ReadyPush | null>> {
    const push = pushOf(action);
    const beganAtMs = this.clock.monotonicMs();
    const repository = await this.uses.repositoryBehind(action);
    // Of one that is gone, or may not be used, the release says what it is.
    if (!repository) return { kind: 'ready', prepared: null };
    const prepared = await this.prepared(action, push, repository, signal);
    if (prepared.kind === 'refused') {
      const sent: Sent = { outcome: 'not_executed', error: prepared.error };
      await this.note(action, repository.use, { beganAtMs, sent });
    }
    return prepared;
  }

  private async prepared(
    action: ActionToSend,
    push: PushArguments,
    repository: HostRepository,
    signal: AbortSignal,
  ): Promise<Prepared<ReadyPush>> {
    if (!(await this.isWhole(action, push))) return { kind: 'refused', error: DAMAGED };
    try {
      const access = await this.repositories.accessTo(repository, 'write', signal, 'action');
      const { oid, capabilities } = await this.host.advertised(access, push.ref, signal);
      if (oid === push.newOid) return { kind: 'done', result: { ref: push.ref, alreadyThere: true } };
      if ((oid ?? NO_OBJECT) !== push.oldOid) return { kind: 'refused', error: MOVED };
      if (capabilities.objectFormat !== 'sha1') return { kind: 'refused', error: OTHER_OBJECTS };
      return { kind: 'ready', prepared: { use: repository.use, access, capabilities } };
    } catch (error) {
      const failed = failedLook(error);
      if (!failed) throw error;
      return failed;
    }
  }

  private async isWhole({ organizationId, id }: ActionToSend, push: PushArguments): Promise<boolean> {
    const pack = await this.objects.open(packKey(organizationId, id));
    if (!pack) return false;
    try {
      for await (const _ of approvedPieces(push, pack.stream));
      return true;
    } catch (error) {
      if (error instanceof PackDamaged) return false;
      throw error;
    }
  }

  async send(action: ActionToSend, ready: ReadyPush | null, signal: AbortSignal): Promise<Sent> {
    if (!ready) return { outcome: 'not_executed', error: CHANGED };
    const beganAtMs = this.clock.monotonicMs();
    const leavesUntilMs = performance.now() + LEAVES_WITHIN_MS;
    // Whatever the store answers here, nothing has left yet.
    const pack = await this.objects.open(packKey(action.organizationId, action.id)).catch(() => undefined);
    const sent = pack ? await this.sentOnce(action, ready, { pack, leavesUntilMs, signal }) : NOT_KEPT;
    await this.note(action, ready.use, { beganAtMs, sent });
    return sent;
  }

  private async sentOnce(
    action: ActionToSend,
    { access, capabilities }: ReadyPush,
    { pack, leavesUntilMs, signal }: { pack: OpenedBytes; leavesUntilMs: number; signal: AbortSignal },
  ): Promise<Sent> {
    const push = pushOf(action);
    async function* body() {
      yield commandBytes(push, capabilities);
      yield* approvedPieces(push, pack.stream);
    }
    try {
      const answer = await this.host.push(access, { body: body(), leavesUntilMs, signal });
      const hasSideBand = capabilities.names.has('side-band-64k');
      return verdictOf(answer, { ref: push.ref, hasSideBand, token: access.token });
    } catch (error) {
      if (!(error instanceof HostFailure)) throw error;
      return error.sent ? NO_ANSWER : NOT_REACHED;
    } finally {
      pack.stream.destroy();
    }
  }

  /** Reads where the branch stands. A host may go on behind a dead connection, so only the last look takes it as not done. */
  async settle(
    action: ActionToSend,
    signal: AbortSignal,
    { isLast }: Look,
  ): Promise<Exclude<Sent, { outcome: 'ambiguous' }> | undefined> {
    const { ref, oldOid, newOid } = pushOf(action);
    const repository = await this.uses.repositoryBehind(action);
    if (!repository) return undefined;
    try {
      const access = await this.repositories.accessTo(repository, 'read', signal);
      const oid = (await this.host.refNow(access, ref, signal)) ?? NO_OBJECT;
      if (oid === newOid) return { outcome: 'succeeded', result: { ref, seen: true } };
      return oid === oldOid && isLast ? { outcome: 'not_executed', error: NOT_APPLIED } : undefined;
    } catch (error) {
      if (failedLook(error)) return undefined;
      throw error;
    }
  }

  async payload({ organizationId, id, reference, ...target }: StoredAction): Promise<ByteAnswer | undefined> {
    const { packSha256, packBytes } = pushOf(target);
    const key = packKey(organizationId, id);
    if (!(await this.objects.stat(key))) return undefined;
    return {
      sizeBytes: packBytes,
      sha256: packSha256,
      mediaType: 'application/octet-stream',
      fileName: `${reference}.pack`,
      open: (range) => this.objects.open(key, range),
    };
  }

  private async note(
    action: ActionToSend,
    use: ConnectorUse,
    { beganAtMs, sent }: { readonly beganAtMs: number; readonly sent: Sent },
  ): Promise<void> {
    const error = sent.outcome === 'succeeded' ? undefined : sent.error;
    await this.log.note(action.organizationId, {
      integrationId: use.row.id,
      connectorKey: use.row.key,
      kind: use.row.kind,
      toolName: action.toolName,
      definitionHash: use.tool(action.toolName)?.definitionHash ?? null,
      agentProfileId: action.agentProfileId,
      execution: null,
      executionId: null,
      actionId: action.id,
      access: 'write',
      arguments: action.arguments,
      output: sent.outcome === 'succeeded' ? sent.result : null,
      outcome: sent.outcome,
      code: error?.code ?? null,
      providerStatus: error?.providerStatus ?? null,
      latencyMs: this.clock.monotonicMs() - beganAtMs,
      era: null,
    });
  }
}

function previewOf({ repository, ref, oldOid, newOid, packBytes }: PushArguments): string {
  const from = oldOid === NO_OBJECT ? 'a new branch' : `from ${oldOid}`;
  return `${repository}: ${ref}\n${from} to ${newOid}\n${packBytes} bytes`;
}
