import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Action } from './action.entity.ts';

/**
 * That a run proposed an action, or proposed it again, and in which version of its task: a run waits only for what it
 * proposed itself and as things are now.
 */
const schema = defineEntity({
  name: 'ActionReceipt',
  tableName: 'action_receipt',
  properties: {
    action: () =>
      p
        .manyToOne(Action)
        .primary()
        .joinColumns('organization_id', 'action_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    actionId: p.uuid().persist(false),
    /** No foreign key: runs may go. */
    runId: p.uuid().primary(),
    taskVersion: p.integer(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class ActionReceipt extends schema.class {}
schema.setClass(ActionReceipt);
