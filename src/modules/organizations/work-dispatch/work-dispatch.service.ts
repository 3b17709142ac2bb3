import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { DATABASE_NOW, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ActivityLogService } from '../activity/activity-log.service.ts';
import { lockOrganization, lockOrganizationCapacity } from '../organization-lock.ts';
import { OrganizationSignalsService } from '../organization-signals.service.ts';
import { OrganizationsService } from '../organizations.service.ts';
import type { DispatchStatus } from '../organization.state.ts';
import type { WorkDispatchDto } from './work-dispatch.dto.ts';
import { WorkInFlight } from './work-in-flight.port.ts';
import { WorkPermitted } from './work-permitted.port.ts';

/** Whether an organization's work is handed out. A stop keeps everything queued and lets running work finish. */
@Injectable()
export class WorkDispatchService {
  constructor(
    private readonly transactions: Transactions,
    private readonly organizations: OrganizationsService,
    private readonly workInFlight: WorkInFlight,
    private readonly permitted: WorkPermitted,
    private readonly signals: OrganizationSignalsService,
    private readonly activity: ActivityLogService,
  ) {}

  read(owner: OwnerPrincipal, organizationId: string): Promise<WorkDispatchDto> {
    return this.transactions.inOrganization(owner, organizationId, (tx) => this.readIn(tx), {
      whileOnboarding: true,
    });
  }

  set(owner: OwnerPrincipal, organizationId: string, status: DispatchStatus): Promise<WorkDispatchDto> {
    return this.transactions.inOrganization(owner, organizationId, async (tx) => {
      const organization = await lockOrganization(tx);
      const stop = status === 'stopped';
      if (stop !== (organization.workDispatchStoppedAt != null)) {
        await lockOrganizationCapacity(tx);
        organization.workDispatchStoppedAt = stop ? DATABASE_NOW : null;
        await tx.em.flush();
        await this.activity.record(tx, {
          actor: owner,
          verb: stop ? 'work_dispatch.stopped' : 'work_dispatch.resumed',
          subject: { kind: 'organization', id: organizationId, label: organization.name },
        });
        if (!stop) await this.permitted.tell(tx);
        this.signals.changed(tx);
      }
      return this.readIn(tx);
    });
  }

  private async readIn(tx: Tx): Promise<WorkDispatchDto> {
    const { workDispatchStoppedAt } = await this.organizations.readIn(tx);
    return {
      status: workDispatchStoppedAt === null ? 'running' : 'stopped',
      workDispatchStoppedAt,
      ...(await this.workInFlight.count(tx)),
    };
  }
}
