import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Organization } from '../../organizations/index.ts';

/** The last number given out in a scope of an organization. Its lock makes numbers gap-free. */
const schema = defineEntity({
  name: 'TaskIdentifier',
  tableName: 'task_identifier',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    scope: p.text().primary(),
    lastNumber: p.integer(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class TaskIdentifier extends schema.class {}
schema.setClass(TaskIdentifier);
