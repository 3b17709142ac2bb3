import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { type Department, type DepartmentFollower, DepartmentSwitch } from '../organizations/index.ts';
import { DiscoveryIntentionsService } from './discovery-intentions.service.ts';

/** Lets a department that is switched on later be found out about like the others. */
@Injectable()
export class SwitchedDepartments implements DepartmentFollower {
  constructor(
    departments: DepartmentSwitch,
    private readonly intentions: DiscoveryIntentionsService,
  ) {
    departments.register(this);
  }

  async departmentsSwitched(tx: Tx, { on }: { readonly on: readonly Department[] }): Promise<void> {
    if (on.length > 0) await this.intentions.add(tx, on);
  }
}
