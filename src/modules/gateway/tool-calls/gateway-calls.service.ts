import { Injectable } from '@nestjs/common';
import type { GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid, type Issue } from '../../../kernel/errors/index.ts';
import { Accepted } from '../../../kernel/http/index.ts';
import {
  type ConnectorUseRow,
  IntegrationIssues,
  type ListedTool,
  ProviderAdapters,
  type ToolCall,
} from '../../integrations/index.ts';
import { CallLogService, type EndedCall } from '../calls/call-log.service.ts';
import { GatewayIssues } from '../gateway.errors.ts';
import { refused, refusedUse, USE_WORDS } from '../use-refusals.ts';
import { ARGUMENTS_BYTES, CALLS_PER_MINUTE, NOT_CALLED } from '../gateway.policy.ts';
import { callError, failureOf } from './call-failure.ts';
import { CallRate, type Rated } from './call-rate.ts';
import { type GatewayUse, GatewayUsesService } from './gateway-uses.service.ts';
import type { CallToolDto, ToolCallDto } from './gateway.dto.ts';
import { ToolReadsService } from './tool-reads.service.ts';
import { ToolWritesService } from './tool-writes.service.ts';

/** A call that is under way, with what is known of it so far. */
interface CallUnderWay {
  readonly gateway: GatewayPrincipal;
  readonly toolName: string;
  readonly body: CallToolDto;
  readonly beganAtMs: number;
  row?: ConnectorUseRow;
  tool?: ListedTool;
}

/** Calls tools for executions: decides, reads or proposes, and writes down what became of it. */
@Injectable()
export class GatewayCallsService {
  private readonly rate = new CallRate(CALLS_PER_MINUTE);

  constructor(
    private readonly uses: GatewayUsesService,
    private readonly adapters: ProviderAdapters,
    private readonly reads: ToolReadsService,
    private readonly writes: ToolWritesService,
    private readonly log: CallLogService,
    private readonly clock: Clock,
  ) {}

  async call(
    gateway: GatewayPrincipal,
    toolName: string,
    body: CallToolDto,
    signal: AbortSignal,
  ): Promise<ToolCallDto | Accepted<ToolCallDto>> {
    const beganAtMs = this.clock.monotonicMs();
    const underWay: CallUnderWay = { gateway, toolName, body, beganAtMs };
    const rated = this.rate.take(`${gateway.execution.executionId} ${gateway.integrationId} ${toolName}`, beganAtMs);
    if (!rated.isPermitted) return this.overRate(underWay, rated);
    try {
      return await this.decided(underWay, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.row.status >= 500) throw error;
      const met = isOfUse(error) ? await this.met(underWay) : undefined;
      if (met) return met;
      await this.note(underWay, { outcome: 'refused', code: codeOf(error) });
      throw error;
    }
  }

  /** An execution that is over is told that first: it has nothing to wait for. */
  private async overRate(underWay: CallUnderWay, { isFirstRefused, retryAfterSeconds }: Rated): Promise<ToolCallDto> {
    const { gateway, toolName } = underWay;
    await this.uses.load(gateway, { toolName });
    const error = callError('rate_limited', { retryAfterSeconds });
    if (isFirstRefused) await this.note(underWay, { outcome: 'refused', code: error.code });
    return { status: 'failed', error };
  }

  /** The action that the same write has become before, which it meets again whatever is refused by now. */
  private async met({ gateway, toolName, body, row, tool }: CallUnderWay) {
    if (!row || tool?.access === 'read') return undefined;
    return this.writes.met(gateway.execution, row.key, toolName, body);
  }

  private async decided(underWay: CallUnderWay, signal: AbortSignal): Promise<ToolCallDto | Accepted<ToolCallDto>> {
    const { gateway, toolName, body } = underWay;
    const loaded = await this.uses.load(gateway, { toolName });
    if (loaded.row) underWay.row = loaded.row;
    const given = this.uses.permitted(gateway, loaded);
    const { use } = given;
    const refusal = use.refusal(toolName);
    const tool = given.definitions.get(toolName);
    if (tool) underWay.tool = tool;
    if (refusal !== null) throw refusedUse(refusal, 'toolName');
    if (!tool || NOT_CALLED.has(toolName)) throw refused(GatewayIssues.notCallable, 'toolName');
    const call = this.scoped(given, tool, body.arguments);
    if (tool.access === 'read') return this.read(underWay, given, call, signal);
    if (gateway.access === 'read') throw refused(IntegrationIssues.readOnly, 'toolName');
    return this.writes.write(gateway.execution, given, tool, body);
  }

  /** Checks arguments and scope before anything is sent, whichever way a call came. */
  private scoped({ use }: GatewayUse, tool: ListedTool, given: CallToolDto['arguments']): ToolCall {
    if (Buffer.byteLength(JSON.stringify(given)) > ARGUMENTS_BYTES)
      throw invalid('arguments', EdgeIssues.tooLarge, `must have at most ${ARGUMENTS_BYTES} bytes as JSON`);
    const { kind, settings } = use.row;
    return this.adapters.of(kind)!.scope(tool, given, settings, (name) => use.refusal(name) === null);
  }

  private async read(
    underWay: CallUnderWay,
    given: GatewayUse,
    call: ToolCall,
    signal: AbortSignal,
  ): Promise<ToolCallDto> {
    try {
      const { output, truncated, mcp } = await this.reads.read(given, call, signal);
      await this.note(underWay, { outcome: 'succeeded', output, era: mcp?.era ?? null });
      return { status: 'succeeded', output, truncated };
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      await this.note(underWay, { outcome: 'failed', code: failure.code, providerStatus: failure.providerStatus });
      return { status: 'failed', error: failure };
    }
  }

  private note(
    { gateway, toolName, body, beganAtMs, row, tool }: CallUnderWay,
    end: Pick<EndedCall, 'outcome'> & Partial<Pick<EndedCall, 'code' | 'output' | 'providerStatus' | 'era'>>,
  ): Promise<void> {
    const { execution, integrationId } = gateway;
    return this.log.note(execution.organizationId, {
      integrationId,
      connectorKey: row?.key ?? null,
      kind: row?.kind ?? 'unknown',
      toolName,
      definitionHash: tool?.definitionHash ?? null,
      agentProfileId: execution.agentProfileId,
      execution: execution.execution,
      executionId: execution.executionId,
      actionId: null,
      access: tool?.access ?? null,
      arguments: body.arguments,
      latencyMs: this.clock.monotonicMs() - beganAtMs,
      output: null,
      code: null,
      providerStatus: null,
      era: null,
      ...end,
    });
  }
}

/** Whether a call was refused for what stands against the use of its connector or tool. */
function isOfUse({ issues }: ApiError): boolean {
  return issues?.some(({ code }) => USE_WORDS.has(code)) === true;
}

function codeOf({ row, issues }: ApiError): string {
  const [issue] = issues ?? ([] as readonly Issue[]);
  return row.status === EdgeErrors.validationFailed.status ? row.code : (issue?.code ?? row.code);
}
