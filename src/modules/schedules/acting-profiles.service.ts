import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type ServicePrincipal } from '../../kernel/auth/index.ts';
import type { Execute, Tx } from '../../kernel/database/index.ts';
import { activeAccess, type OrganizationAccess } from '../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid, unauthorized } from '../../kernel/errors/index.ts';
import type { Actor } from '../organizations/index.ts';
import { holdLiveTurn, sourceOfTurn } from '../chats/index.ts';
import { holdLiveRun } from '../runs/index.ts';
import type { ActingDto } from './schedule-body.dto.ts';
import type { ActingProfile } from './schedule.policy.ts';
import type { Provenance } from './schedule-edits.queries.ts';
import { holdActingProfile } from './schedule-profiles.queries.ts';
import { ScheduleErrors } from './schedule.errors.ts';

export type Agent = ServicePrincipal | ExecutionPrincipal;

/** Who acts on schedules: an execution for its own profile, a runtime for the one that it names, or for the organization. */
@Injectable()
export class ActingProfilesService {
  constructor(private readonly executions: LiveExecutions) {}

  /** The way in: 404 `not_found` for a runtime, where there is no such organization. */
  access(agent: Agent, organizationId: string): OrganizationAccess {
    return agent.kind === 'execution'
      ? this.executions.access(agent, { enabledProfile: true, lane: 'ordinary' })
      : activeAccess(organizationId, EdgeErrors.notFound, 'ordinary');
  }

  /**
   * The acting profile, null for a runtime that names none. Behind the access of an execution its profile is enabled; that
   * of a runtime's request is held so until the commit.
   */
  async profileOf(
    execute: Execute,
    agent: Agent,
    organizationId: string,
    named: ActingDto,
  ): Promise<ActingProfile | null> {
    if (agent.kind === 'execution') return profileOfExecution(agent, named);
    const { agentProfileId, runId, turnId } = named;
    if (agentProfileId === undefined) {
      if ((runId ?? turnId) !== undefined)
        throw invalid('agentProfileId', EdgeIssues.required, 'is required with a run or turn');
      return null;
    }
    const [profile] = await execute(holdActingProfile(organizationId, agentProfileId));
    if (!profile)
      throw invalid('agentProfileId', EdgeIssues.unknownReference, 'names no agent profile of this organization');
    if (profile.status !== 'enabled') throw new ApiError(ScheduleErrors.profileDisabled);
    return profile;
  }

  /**
   * Nothing lands behind the end of the run or turn in which it happens. Those are locked behind schedules, so this comes
   * last.
   */
  async holdExecution(tx: Tx, agent: Agent, named: ActingDto): Promise<void> {
    if (agent.kind === 'execution') {
      await this.executions.hold(tx, agent);
      return;
    }
    const { runId, turnId, agentProfileId } = named;
    const held = [
      ...(runId === undefined ? [] : [await holdLiveRun(tx, runId)]),
      ...(turnId === undefined ? [] : [await holdLiveTurn(tx, turnId)]),
    ];
    if (held.some((execution) => execution?.agentProfileId !== agentProfileId))
      throw new ApiError(ScheduleErrors.executionOver);
  }
}

function profileOfExecution(agent: ExecutionPrincipal, { agentProfileId, runId, turnId }: ActingDto): ActingProfile {
  const own = agent.execution === 'task_run' ? { run: agent.executionId } : { turn: agent.executionId };
  const isOther =
    (agentProfileId !== undefined && agentProfileId !== agent.agentProfileId) ||
    (runId !== undefined && runId !== own.run) ||
    (turnId !== undefined && turnId !== own.turn);
  if (isOther) throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.notForThisProfile);
  return {
    id: agent.agentProfileId,
    key: agent.profileKey,
    kind: agent.profileKind,
    department: agent.department,
  };
}

/** Where a schedule that an agent makes comes from; `holdExecution` refuses a turn that does not exist. */
export async function provenanceIn(
  tx: Tx,
  agent: Agent,
  profile: ActingProfile,
  named: ActingDto,
): Promise<Provenance> {
  const provenance = provenanceOf(agent, profile, named);
  const { sourceMessageId } = provenance;
  if (sourceMessageId === null) return provenance;
  return { ...provenance, sourceChatId: (await sourceOfTurn(tx, sourceMessageId))?.chatId ?? null };
}

/** A turn's id is that of its assistant's message; its chat is not looked up. */
export function provenanceOf(agent: Agent, { id }: ActingProfile, named: ActingDto): Provenance {
  const inTurn = agent.kind === 'execution' ? agent.execution === 'chat_turn' : named.turnId !== undefined;
  const runId = agent.kind === 'execution' && !inTurn ? agent.executionId : (named.runId ?? null);
  const turnId = agent.kind === 'execution' && inTurn ? agent.executionId : (named.turnId ?? null);
  return {
    origin: inTurn ? 'user' : 'agent',
    createdByAgentProfileId: id,
    sourceRunId: runId,
    sourceChatId: null,
    sourceMessageId: turnId,
  };
}

/** How the activity log names the agent or runtime that acts. */
export function actorOf(agent: Agent, profile: ActingProfile | null): Actor {
  return profile && agent.kind === 'service' ? { kind: 'agent', id: profile.id, name: profile.key } : agent;
}
