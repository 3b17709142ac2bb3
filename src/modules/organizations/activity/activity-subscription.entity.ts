import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Organization } from '../organization.entity.ts';

/**
 * Who wants to hear of entries of an organization's log: the kind of an outbox handler, and the verbs. Each entry that is
 * written looks here by key; where nobody listens there is no row.
 */
const schema = defineEntity({
  name: 'ActivitySubscription',
  tableName: 'activity_subscription',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    kind: p.text().primary(),
    verbs: p.array().columnType('text[]').$type<string[]>(),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class ActivitySubscription extends schema.class {}
schema.setClass(ActivitySubscription);
