import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { Accepted, Existing } from '../../../kernel/http/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import {
  type ActionDetailDto,
  ActionErrors,
  actionById,
  ActionExecutionService,
  ENDED_ACTION_STATUSES,
  ProposalsService,
  toActionDetail,
} from '../../actions/index.ts';
import type { ListedTool } from '../../integrations/index.ts';
import { ACTION_WAIT_MS } from '../gateway.policy.ts';
import type { GatewayUse } from './gateway-uses.service.ts';
import type { CallToolDto, ToolCallDto } from './gateway.dto.ts';

/** Between looks at an action that another process carries out: the first, and the longest. */
const LOOK_MS = { first: 100, most: 1_000 };
const ENDED: ReadonlySet<string> = new Set(ENDED_ACTION_STATUSES);
/** What goes on without a person. */
const GOES_ON: ReadonlySet<string> = new Set(['approved', 'executing']);

/** Proposes calls of tools that write, and waits for those that need nobody's approval. */
@Injectable()
export class ToolWritesService {
  constructor(
    private readonly proposals: ProposalsService,
    private readonly execution: ActionExecutionService,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** A caller that goes changes nothing: the action goes on. */
  async write(
    execution: ExecutionPrincipal,
    { use: { row } }: GatewayUse,
    tool: ListedTool,
    { arguments: given, title, summary, risk, dedupeKey }: CallToolDto,
  ): Promise<ToolCallDto | Accepted<ToolCallDto>> {
    const proposed = await this.proposals.propose(execution, {
      ...targetOf(row.key, tool.name, { arguments: given, ...(dedupeKey === undefined ? {} : { dedupeKey }) }),
      title: title ?? `Call ${tool.name} of ${row.key}`,
      summary: summary ?? `Calls the tool ${tool.name} of the connector ${row.key}.`,
      ...(risk === undefined ? {} : { risk }),
    });
    return answerOf(await this.settled(proposed instanceof Existing ? proposed.data : proposed));
  }

  /** The action of the same call before, for one that may not be proposed any more; undefined where there is none. */
  async met(
    execution: ExecutionPrincipal,
    connectorKey: string,
    toolName: string,
    body: CallToolDto,
  ): Promise<ToolCallDto | Accepted<ToolCallDto> | undefined> {
    const action = await this.proposals.met(execution, targetOf(connectorKey, toolName, body));
    return action && answerOf(action);
  }

  /**
   * The action when it has ended, waits for a person or rests because its provider fails for now, or as it is when the time
   * is over.
   */
  private async settled(proposed: ActionDetailDto): Promise<ActionDetailDto> {
    if (!GOES_ON.has(proposed.status)) return proposed;
    const { organizationId, id } = proposed;
    const untilMs = this.clock.monotonicMs() + ACTION_WAIT_MS;
    const rests = await Promise.race([
      this.execution.carryOut({ organizationId, id }),
      wait(ACTION_WAIT_MS, false, { ref: false }),
    ]);
    for (let lookMs = LOOK_MS.first; ; lookMs = Math.min(lookMs * 2, LOOK_MS.most)) {
      const action = await this.actionOf(proposed);
      if (rests || !GOES_ON.has(action.status) || this.clock.monotonicMs() + lookMs >= untilMs) return action;
      await wait(lookMs);
    }
  }

  private async actionOf({ organizationId, id }: ActionDetailDto): Promise<ActionDetailDto> {
    const access = activeAccess(organizationId, ActionErrors.notFound, 'ordinary');
    const [row] = await this.reads.through(access, actionById(organizationId, id));
    return toActionDetail(row!);
  }
}

function answerOf(action: ActionDetailDto): ToolCallDto | Accepted<ToolCallDto> {
  const { result } = action;
  const answer: ToolCallDto = { status: 'action', action, output: result, truncated: isCut(result) };
  return ENDED.has(action.status) ? answer : new Accepted(answer);
}

function targetOf(
  connectorKey: string,
  toolName: string,
  { arguments: given, dedupeKey }: Pick<CallToolDto, 'arguments' | 'dedupeKey'>,
) {
  const key = dedupeKey === undefined ? {} : { dedupeKey };
  return { kind: 'tool_call', connectorKey, toolName, arguments: given, ...key } as const;
}

function isCut(result: object | null): boolean {
  return result !== null && 'truncated' in result && result.truncated === true;
}
