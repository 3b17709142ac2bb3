import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ScheduleFiringService } from './firing/schedule-firing.service.ts';
import { ScheduleSwitchService } from './schedule-switch.service.ts';
import {
  type OccurrenceListQuery,
  type ScheduleDto,
  type ScheduleListQuery,
  type ScheduleOccurrenceDto,
  toSchedule,
} from './schedule.dto.ts';
import { ScheduleErrors } from './schedule.errors.ts';
import {
  type LockedSchedule,
  lockSchedule,
  occurrenceById,
  occurrencesOf,
  scheduleById,
  scheduleByRef,
  schedulesOf,
} from './schedules.queries.ts';

/** What owners do with schedules. Making and editing them is the agents'. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly switching: ScheduleSwitchService,
    private readonly firing: ScheduleFiringService,
  ) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ScheduleListQuery): Promise<Page<ScheduleDto>> {
    const list = schedulesOf(organizationId, query);
    return (await this.reads.listInOrganization(owner, organizationId, list)).map(toSchedule);
  }

  async read(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<ScheduleDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, scheduleByRef(organizationId, ref));
    if (!row) throw new ApiError(ScheduleErrors.notFound);
    return toSchedule(row);
  }

  async occurrences(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    query: OccurrenceListQuery,
  ): Promise<Page<ScheduleOccurrenceDto>> {
    const { id } = await this.read(owner, organizationId, ref);
    return this.reads.listInOrganization(owner, organizationId, occurrencesOf(organizationId, id, query));
  }

  pause(owner: OwnerPrincipal, organizationId: string, ref: string, request: IdempotentRequest): Promise<ScheduleDto> {
    return this.once(owner, organizationId, ref, request, async (tx, schedule) => {
      await this.switching.pause(tx, schedule, owner);
      return readIn(tx, schedule);
    });
  }

  resume(owner: OwnerPrincipal, organizationId: string, ref: string, request: IdempotentRequest): Promise<ScheduleDto> {
    return this.once(owner, organizationId, ref, request, async (tx, schedule) => {
      await this.switching.resume(tx, schedule, owner);
      return readIn(tx, schedule);
    });
  }

  runNow(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    request: IdempotentRequest,
  ): Promise<ScheduleOccurrenceDto> {
    return this.once(owner, organizationId, ref, request, async (tx, { id }) => {
      const occurrenceId = await this.firing.runNow(tx, id, owner);
      const [occurrence] = await tx.rows(occurrenceById(organizationId, occurrenceId));
      return occurrence!;
    });
  }

  /** Once per key, on the locked schedule. */
  private once<T>(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    request: IdempotentRequest,
    work: (tx: Tx, schedule: LockedSchedule) => Promise<T>,
  ): Promise<T> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: {}, organizationOf: () => organizationId },
        async () => {
          const [schedule] = await tx.rows(lockSchedule(organizationId, ref));
          if (!schedule) throw new ApiError(ScheduleErrors.notFound);
          return work(tx, schedule);
        },
      ),
    );
  }
}

async function readIn(tx: Tx, { organizationId, id }: LockedSchedule): Promise<ScheduleDto> {
  const [row] = await tx.rows(scheduleById(organizationId, id));
  return toSchedule(row!);
}
