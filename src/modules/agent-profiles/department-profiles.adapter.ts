import { Injectable } from '@nestjs/common';
import { DATABASE_NOW, type EntityTx } from '../../kernel/database/index.ts';
import { type Department, type DepartmentFollower, DepartmentSwitch, WorkPermitted } from '../organizations/index.ts';
import { AgentProfile } from './agent-profile.entity.ts';
import { lockProfileCapacities } from './agent-profiles.queries.ts';
import { ProfileRemoved } from './profile-removed.port.ts';

/** Disables the profiles of a department with it, and enables those again that it disabled. */
@Injectable()
export class DepartmentProfiles implements DepartmentFollower {
  readonly switchesProfiles = true;

  constructor(
    private readonly permitted: WorkPermitted,
    private readonly removed: ProfileRemoved,
    departments: DepartmentSwitch,
  ) {
    departments.register(this);
  }

  async departmentsSwitched(tx: EntityTx, { on, off }: { on: Department[]; off: Department[] }): Promise<void> {
    await tx.rows(lockProfileCapacities(tx.organizationId, { departments: off }));
    const live = { organization: tx.organizationId, deletedAt: null };
    await tx.em.nativeUpdate(
      AgentProfile,
      { ...live, department: { $in: off }, status: 'enabled' },
      { status: 'disabled', disabledByDepartment: true, updatedAt: DATABASE_NOW },
    );
    await tx.em.nativeUpdate(
      AgentProfile,
      { ...live, department: { $in: on }, status: 'disabled', disabledByDepartment: true },
      { status: 'enabled', disabledByDepartment: false, updatedAt: DATABASE_NOW },
    );
    if (on.length > 0) await this.permitted.tell(tx);
    if (off.length > 0) this.removed.disabled(tx, null);
  }
}
