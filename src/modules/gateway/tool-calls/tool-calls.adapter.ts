import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { Reads, type Statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import {
  type ActionExecutor,
  ActionExecutors,
  type ActionStanding,
  type ActionTarget,
  type ActionToSend,
  type DescribedAction,
  type Prepared,
  type Sent,
} from '../../actions/index.ts';
import {
  ConnectorAuthority,
  type ConnectorUse,
  type ConnectorUseRow,
  credentialOf,
  InventoriesService,
  type ListedTool,
  NOT_FOUND,
  ProviderAdapters,
  ProviderAskingService,
  ProviderFailure,
  type Question,
  type SentCall,
  type ToolCall,
  type ToolSession,
  type Which,
} from '../../integrations/index.ts';
import { CallLogService, type EndedCall } from '../calls/call-log.service.ts';
import { isOfTool, refusedUse } from '../use-refusals.ts';
import { NOT_CALLED } from '../gateway.policy.ts';
import { messageOf, unprepared } from './call-failure.ts';
import { ConnectorSightingsService } from './connector-sightings.service.ts';
import { definitionsOf } from './gateway-uses.service.ts';
import { withoutSecrets } from './redaction.ts';
import { standingOfTool } from './tool-standing.ts';

/** What a write is sent with: an open connection, in which the tool was found as it was approved. */
interface ReadyCall {
  readonly call: ToolCall;
  readonly question: Question;
  /** Of a provider whose tools are discovered. */
  readonly session: ToolSession | null;
  /** Of a fixed tool. */
  readonly prepared: unknown;
  readonly use: ConnectorUse;
}

/** A write as the log has it. */
interface EndedWrite
  extends Pick<EndedCall, 'outcome' | 'code' | 'providerStatus'>, Partial<Pick<EndedCall, 'output' | 'era'>> {
  readonly row: ConnectorUseRow;
  readonly tool: ListedTool;
  readonly beganAtMs: number;
}

/** Calls tools that write, as they were approved, once. */
@Injectable()
export class ToolCalls implements ActionExecutor<ReadyCall | null, ConnectorUseRow> {
  readonly kind = 'tool_call';

  constructor(
    executors: ActionExecutors,
    private readonly reads: Reads,
    private readonly authority: ConnectorAuthority,
    private readonly adapters: ProviderAdapters,
    private readonly asking: ProviderAskingService,
    private readonly inventories: InventoriesService,
    private readonly sightings: ConnectorSightingsService,
    private readonly log: CallLogService,
    private readonly clock: Clock,
  ) {
    executors.register(this);
  }

  async describe(tx: Tx, target: ActionTarget, { mode }: ExecutionPrincipal): Promise<DescribedAction> {
    const [row] = await tx.rows(this.usesOf(target));
    if (!row) throw invalid('connectorKey', EdgeIssues.unknownReference, 'must be the key of a connector');
    const use = this.authority.useOf(row, mode);
    const { toolName } = target;
    const refusal = use.refusal(toolName);
    if (refusal === 'tool_unknown' || NOT_CALLED.has(toolName))
      throw invalid('toolName', EdgeIssues.unknownReference, 'must be the name of a tool of the connector');
    if (refusal !== null) throw refusedUse(refusal, isOfTool(refusal) ? 'toolName' : 'connectorKey');
    const tool = this.toolOf(use, toolName)!;
    this.scoped(use, tool, target.arguments);
    return {
      ...standingOfTool(use, toolName),
      integrationId: row.id,
      preview: `${row.key}: ${toolName}\n\n${JSON.stringify(inOrder(tool, target.arguments), null, 2)}`,
    };
  }

  standing(target: ActionTarget, lock: boolean): Statement<ConnectorUseRow> {
    return this.usesOf(target, lock);
  }

  /** The mode of the run that proposed it does not count any more: what it was bound to does. */
  standingOf(row: ConnectorUseRow, { toolName }: ActionTarget): ActionStanding {
    return standingOfTool(this.authority.useOf(row, null), toolName);
  }

  /**
   * Opens the connection in which the call is sent, and looks in it whether the tool is still defined as it was approved.
   * What the provider refuses for certain is over; what only fails for now is left to the lease.
   */
  async prepare(action: ActionToSend, signal: AbortSignal): Promise<Prepared<ReadyCall | null>> {
    signal.throwIfAborted();
    const preparing = this.prepared(action);
    const late = Promise.withResolvers<never>();
    const stop = () => late.reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([preparing, late.promise]);
    } catch (error) {
      // The connection is bound to no signal but its own time, since it is to live until the call is sent.
      void preparing
        .then(async (ready) => (ready.kind === 'ready' ? ready.prepared?.session?.close() : undefined))
        .catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private async prepared(action: ActionToSend): Promise<Prepared<ReadyCall | null>> {
    const { toolName } = action;
    const { use, tool, credential } = await this.useBehind(action);
    // Of one that is gone, or may not be used, the release says what it is.
    if (!use || !tool || use.refusal(toolName) !== null) return { kind: 'ready', prepared: null };
    const beganAtMs = this.clock.monotonicMs();
    try {
      const call = this.scoped(use, tool, action.arguments);
      const ready = (question: Question) => this.ready(question, use, call);
      const prepared = await this.asking.stored(use.standing, credential, 'action', ready);
      await this.sightings.well(use, prepared?.session?.mcp);
      return { kind: 'ready', prepared };
    } catch (error) {
      await this.sightings.failed(use, error);
      const failed = unprepared(error);
      if (failed?.kind === 'refused') {
        const { code, providerStatus = null } = failed.error;
        await this.note(action, { row: use.row, tool, beganAtMs, outcome: 'not_executed', code, providerStatus });
      }
      if (!failed) throw error;
      return failed;
    }
  }

  /** The connector as it stands now, with its credential. */
  private async useBehind(action: ActionToSend) {
    const { organizationId, toolName } = action;
    const access = activeAccess(organizationId, NOT_FOUND, 'ordinary');
    const [[row], [credential]] = await this.reads.listThrough(access, {
      statements: () => [this.usesOf(action), credentialOf(organizationId, action.integrationId!)] as const,
      result: (sets) => sets,
    });
    const use = row && this.authority.useOf(row, null);
    return { use, tool: use && this.toolOf(use, toolName), credential };
  }

  private scoped(use: ConnectorUse, tool: ListedTool, args: ActionTarget['arguments']): ToolCall {
    const { kind, settings } = use.row;
    return this.adapters.of(kind)!.scope(tool, args, settings, (name) => use.refusal(name) === null);
  }

  private async ready(question: Question, use: ConnectorUse, call: ToolCall): Promise<ReadyCall | null> {
    const { adapter, access, net } = question;
    if (!adapter.open)
      return { call, question, session: null, prepared: await adapter.prepare?.(call, access, net), use };
    const session = await adapter.open(access, net);
    try {
      if (await this.isFoundAgain(session, use.row, call.tool))
        return { call, question, session, prepared: undefined, use };
    } catch (error) {
      await session.close();
      throw error;
    }
    await session.close();
    return null;
  }

  async send(action: ActionToSend, ready: ReadyCall | null, signal: AbortSignal): Promise<Sent> {
    if (!ready) return { outcome: 'not_executed', error: CHANGED };
    const beganAtMs = this.clock.monotonicMs();
    const { use, call, question, session } = ready;
    const sent = await this.sentOnce(action, ready, signal);
    await session?.close();
    const output = sent.outcome === 'succeeded' ? withoutSecrets(sent.result.output, question.secrets) : null;
    const { code, status } = sent.outcome === 'succeeded' ? { code: null, status: null } : sent.error;
    if (sent.outcome !== 'succeeded') await this.sightings.refused(use, sent.error);
    await this.note(action, {
      row: use.row,
      tool: call.tool,
      beganAtMs,
      output,
      outcome: sent.outcome,
      code,
      providerStatus: status,
      era: session?.mcp?.era ?? null,
    });
    return sentOf(sent, output);
  }

  /** Asks the provider of a fixed tool, if it can tell; what cannot be asked now, or not within the settings, stays open. */
  async settle(
    action: ActionToSend,
    signal: AbortSignal,
  ): Promise<Exclude<Sent, { outcome: 'ambiguous' }> | undefined> {
    const { use, tool, credential } = await this.useBehind(action);
    const { sentAt } = action;
    if (!use || !tool || sentAt === null || !this.adapters.of(use.row.kind)?.settle) return undefined;
    try {
      const call = this.scoped(use, tool, action.arguments);
      const look = async ({ adapter, access, net, secrets }: Question) => {
        const sent = await adapter.settle!(call, sentAt, access, net);
        return sent && sentOf(sent, sent.outcome === 'succeeded' ? withoutSecrets(sent.result.output, secrets) : null);
      };
      const found = await this.asking.stored(use.standing, credential, 'call', look, signal);
      return found?.outcome === 'ambiguous' ? undefined : found;
    } catch (error) {
      if (error instanceof ProviderFailure || error instanceof ApiError) return undefined;
      throw error;
    }
  }

  private note(
    action: ActionToSend,
    { row, tool, beganAtMs, output = null, era = null, ...end }: EndedWrite,
  ): Promise<void> {
    return this.log.note(action.organizationId, {
      integrationId: row.id,
      connectorKey: row.key,
      kind: row.kind,
      toolName: action.toolName,
      definitionHash: tool.definitionHash,
      agentProfileId: action.agentProfileId,
      execution: null,
      executionId: null,
      actionId: action.id,
      access: tool.access,
      arguments: action.arguments,
      output,
      latencyMs: this.clock.monotonicMs() - beganAtMs,
      era,
      ...end,
    });
  }

  /** One request that writes, on the connection in which the tool was found; whatever it throws is ambiguous. */
  private sentOnce(
    { id }: ActionToSend,
    { call, question, session, prepared }: ReadyCall,
    signal: AbortSignal,
  ): Promise<SentCall> {
    if (session) return session.write(call, signal);
    const { adapter, access, net } = question;
    return adapter.send!(call, prepared, access, net, id);
  }

  /** Whether the server defines the tool as it was approved; what it defines otherwise is out of use from now on. */
  private async isFoundAgain(session: ToolSession, row: ConnectorUseRow, tool: ListedTool): Promise<boolean> {
    const found = await session.find(tool.name);
    if (found?.definitionHash === tool.definitionHash) return true;
    await this.inventories.observeTool(row, tool.name, found);
    return false;
  }

  private usesOf(target: ActionTarget, lock = false): Statement<ConnectorUseRow> {
    const { organizationId, integrationId, connectorKey, agentProfileId, toolName } = target;
    // By id once it is known: the key of a removed connector is free again.
    const which: Which = integrationId === null ? { key: connectorKey } : { id: integrationId };
    return this.authority.uses(organizationId, which, agentProfileId, { definitions: { toolName }, lock });
  }

  private toolOf(use: ConnectorUse, toolName: string): ListedTool | undefined {
    const { row, standing } = use;
    const fixed = standing.entry?.tools === 'fixed' ? this.adapters.of(row.kind)?.tools?.(row.settings) : undefined;
    return definitionsOf(use, fixed).get(toolName);
  }
}

/** Arguments as the tool names them, so that what comes first there is seen in a preview that is cut. */
function inOrder({ inputSchema }: ListedTool, args: ActionTarget['arguments']): object {
  const { properties } = inputSchema;
  const names = Object.keys(typeof properties === 'object' && properties !== null ? properties : {});
  const first = names.flatMap((name) => (Object.hasOwn(args, name) ? [[name, args[name]] as const] : []));
  return { ...Object.fromEntries(first), ...args };
}

const CHANGED = {
  code: 'changed_meanwhile',
  message: 'The connector changed while the call was prepared, so nothing was sent; propose it anew.',
};

/** What became of a call, with its output as it is kept. */
function sentOf(sent: SentCall, output: object | null): Sent {
  if (sent.outcome === 'succeeded')
    return { outcome: 'succeeded', result: sent.result.truncated ? { ...output, truncated: true } : output };
  const { code, status } = sent.error;
  const providerStatus = status === null ? {} : { providerStatus: status };
  return { outcome: sent.outcome, error: { code, message: messageOf(code), ...providerStatus } };
}
