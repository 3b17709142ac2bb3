import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { Accepted, Existing } from '../../../kernel/http/index.ts';
import {
  type ActionDetailDto,
  ActionFollowingService,
  ENDED_ACTION_STATUSES,
  ProposalsService,
} from '../../actions/index.ts';
import type { ListedTool } from '../../integrations/index.ts';
import { ACTION_WAIT_MS } from '../gateway.policy.ts';
import type { GatewayUse } from './gateway-uses.service.ts';
import type { CallToolDto, ToolCallDto } from './gateway.dto.ts';

const ENDED: ReadonlySet<string> = new Set(ENDED_ACTION_STATUSES);

/** Proposes calls of tools that write, and waits for those that need nobody's approval. */
@Injectable()
export class ToolWritesService {
  constructor(
    private readonly proposals: ProposalsService,
    private readonly following: ActionFollowingService,
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
    return answerOf(
      await this.following.settled(proposed instanceof Existing ? proposed.data : proposed, ACTION_WAIT_MS),
    );
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
