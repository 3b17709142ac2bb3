import { Injectable } from '@nestjs/common';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../kernel/errors/index.ts';
import { Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ActivityLogService, type ActivityVerb, type Actor } from '../organizations/index.ts';
import { ActingProfilesService, actorOf, type Agent, provenanceIn } from './acting-profiles.service.ts';
import type {
  ActingDto,
  AgentScheduleListQuery,
  CreateScheduleDto,
  DeleteScheduleQuery,
  UpdateScheduleDto,
} from './schedule-body.dto.ts';
import { checkTaskOwner, edited, firstSlot, toNewSchedule } from './schedule-edits.ts';
import { hideSchedule, insertSchedule, updateSchedule } from './schedule-edits.queries.ts';
import { type ActingProfile, departmentOf, mayChange } from './schedule.policy.ts';
import type { ScheduleOrigin } from './schedule.state.ts';
import { ScheduleSwitchService } from './schedule-switch.service.ts';
import { instantText } from './schedule-trigger.ts';
import { type ScheduleDto, toSchedule } from './schedule.dto.ts';
import { ScheduleErrors } from './schedule.errors.ts';
import {
  databaseClock,
  type LockedSchedule,
  lockSchedule,
  scheduleById,
  scheduleByRef,
  scheduleOfKey,
  type ScheduleAudience,
  schedulesOf,
} from './schedules.queries.ts';

interface Change {
  readonly tx: Tx;
  readonly schedule: LockedSchedule;
  readonly profile: ActingProfile | null;
  readonly actor: Actor;
}

/** What agents do with schedules, with an execution's capability or through their runtime. */
@Injectable()
export class SchedulesAgentService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly acting: ActingProfilesService,
    private readonly switching: ScheduleSwitchService,
    private readonly activity: ActivityLogService,
  ) {}

  async list(agent: Agent, organizationId: string, query: AgentScheduleListQuery): Promise<Page<ScheduleDto>> {
    const { agentProfileId, ...filters } = query;
    const audience = await this.audienceOf(agent, organizationId, { agentProfileId });
    const list = schedulesOf(organizationId, filters, audience);
    return (await this.reads.listThrough(this.acting.access(agent, organizationId), list)).map(toSchedule);
  }

  async read(agent: Agent, organizationId: string, ref: string, named: ActingDto): Promise<ScheduleDto> {
    const audience = await this.audienceOf(agent, organizationId, named);
    const query = scheduleByRef(organizationId, ref, audience);
    const [row] = await this.reads.through(this.acting.access(agent, organizationId), query);
    if (!row) throw new ApiError(EdgeErrors.notFound);
    return toSchedule(row);
  }

  create(agent: Agent, organizationId: string, body: CreateScheduleDto): Promise<ScheduleDto | Existing<ScheduleDto>> {
    return this.transactions.through(this.acting.access(agent, organizationId), async (tx) => {
      const profile = await this.acting.profileOf(tx.rows, agent, organizationId, body);
      if (!profile) throw invalid('agentProfileId', EdgeIssues.required);
      const schedule = toNewSchedule(profile, body);
      const existing = await existingIn(tx, schedule);
      if (existing) return existing;
      await checkTaskOwner(tx, schedule.taskTemplate, profile);
      const [clock] = await tx.rows(databaseClock());
      const first = firstSlot(schedule.trigger, schedule.nextRunAt, clock!.now);
      const provenance = await provenanceIn(tx, agent, profile, body);
      const [created] = await tx.rows(insertSchedule(organizationId, schedule, first, provenance));
      // Another transaction took the key meanwhile, and has committed.
      if (!created) return (await existingIn(tx, schedule))!;
      await this.acting.holdExecution(tx, agent, body);
      const shown = await readIn(tx, created.id);
      await this.record(tx, shown, actorOf(agent, profile), 'schedule.created');
      return shown;
    });
  }

  update(agent: Agent, organizationId: string, ref: string, body: UpdateScheduleDto): Promise<ScheduleDto> {
    return this.change(agent, organizationId, ref, body, async ({ tx, schedule, profile, actor }) => {
      refuseChanged(schedule, body.expectedUpdatedAt);
      const { expectedUpdatedAt: _, agentProfileId: _profile, runId: _run, turnId: _turn, ...edits } = body;
      const changed = Object.entries(edits).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      if (changed.length === 0) return;
      const to = edited(schedule, body);
      if (body.task?.ownerAgentProfileKey !== undefined) await checkTaskOwner(tx, to.taskTemplate, profile);
      await tx.rows(updateSchedule(organizationId, schedule.id, to));
      await this.record(tx, schedule, actor, 'schedule.updated', { changed });
    });
  }

  pause(agent: Agent, organizationId: string, ref: string, named: ActingDto): Promise<ScheduleDto> {
    return this.change(agent, organizationId, ref, named, ({ tx, schedule, actor }) =>
      this.switching.pause(tx, schedule, actor),
    );
  }

  resume(agent: Agent, organizationId: string, ref: string, named: ActingDto): Promise<ScheduleDto> {
    return this.change(agent, organizationId, ref, named, ({ tx, schedule, actor }) =>
      this.switching.resume(tx, schedule, actor),
    );
  }

  delete(agent: Agent, organizationId: string, ref: string, query: DeleteScheduleQuery): Promise<ScheduleDto> {
    const { expectedUpdatedAt, ...named } = query;
    return this.change(agent, organizationId, ref, named, async ({ tx, schedule, actor }) => {
      if (expectedUpdatedAt !== undefined) refuseChanged(schedule, expectedUpdatedAt);
      await tx.rows(hideSchedule(organizationId, schedule.id));
      await this.record(tx, schedule, actor, 'schedule.deleted');
    });
  }

  /** Changes a schedule under its lock, if it is the caller's to change; answers it as it then is. */
  private change(
    agent: Agent,
    organizationId: string,
    ref: string,
    named: ActingDto,
    work: (change: Change) => Promise<void>,
  ): Promise<ScheduleDto> {
    return this.transactions.through(this.acting.access(agent, organizationId), async (tx) => {
      const profile = await this.acting.profileOf(tx.rows, agent, organizationId, named);
      const [schedule] = await tx.rows(lockSchedule(organizationId, ref, { department: departmentOf(profile) }));
      if (!schedule) throw new ApiError(EdgeErrors.notFound);
      if (!mayChange(profile, { ...schedule, origin: schedule.origin as ScheduleOrigin }))
        throw new ApiError(ScheduleErrors.notYours);
      await work({ tx, schedule, profile, actor: actorOf(agent, profile) });
      await this.acting.holdExecution(tx, agent, named);
      return readIn(tx, schedule.id);
    });
  }

  /** For an execution it costs nothing; the profile that a runtime names is looked up. */
  private async audienceOf(agent: Agent, organizationId: string, named: ActingDto): Promise<ScheduleAudience> {
    const access = this.acting.access(agent, organizationId);
    const profile = await this.acting.profileOf(
      (query) => this.reads.through(access, query),
      agent,
      organizationId,
      named,
    );
    return { department: departmentOf(profile) };
  }

  private record(
    tx: Tx,
    { id, name }: ScheduleDto | LockedSchedule,
    actor: Actor,
    verb: ActivityVerb,
    details?: Record<string, unknown>,
  ): Promise<void> {
    const subject = { kind: 'schedule', id, label: name };
    return this.activity.record(tx, { actor, verb, subject, ...(details ? { details } : {}) });
  }
}

/** The schedule of the key, if it was made from the same; 409 if from something else. */
async function existingIn(
  tx: Tx,
  { key, digest }: { readonly key: string; readonly digest: string },
): Promise<Existing<ScheduleDto> | undefined> {
  const [existing] = await tx.rows(scheduleOfKey(tx.organizationId, key));
  if (!existing) return undefined;
  if (existing.digest !== digest) throw new ApiError(ScheduleErrors.keyInUse);
  return new Existing(await readIn(tx, existing.id));
}

async function readIn(tx: Tx, id: string): Promise<ScheduleDto> {
  const [row] = await tx.rows(scheduleById(tx.organizationId, id));
  return toSchedule(row!);
}

/** Both have six digits and are in UTC: equal text is the same instant. */
function refuseChanged({ updatedAt }: LockedSchedule, expected: string): void {
  if (instantText(expected) !== updatedAt) throw new ApiError(ScheduleErrors.changedMeanwhile);
}
