import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { ENTERED, policies } from '../../../kernel/tenancy/index.ts';

/**
 * A line for each profile key, as `organization_dispatch` is one for all. A claim that names keys finds by it the
 * organizations with ready work of such profiles, and reads nothing of the others (measured with 10,000 of them:
 * 86 ms). Only such claims record here which organizations they served. Has no foreign keys either.
 */
const schema = defineEntity({
  name: 'ProfileDispatch',
  tableName: 'profile_dispatch',
  properties: {
    organizationId: p.uuid().primary(),
    agentProfileId: p.uuid().primary(),
    profileKey: p.text(),
    nextReadyAt: timestamp().nullable(),
    lastServedAt: timestamp().defaultRaw(`'-infinity'`),
    leftAt: timestamp().nullable(),
  },
  indexes: [
    {
      name: 'profile_dispatch_order',
      expression:
        'create index profile_dispatch_order on profile_dispatch (profile_key, last_served_at, organization_id, agent_profile_id) where next_ready_at is not null',
    },
    // What the upkeep walks.
    {
      name: 'profile_dispatch_in_line',
      expression:
        'create index profile_dispatch_in_line on profile_dispatch (organization_id, agent_profile_id) where next_ready_at is not null',
    },
    {
      name: 'profile_dispatch_left',
      expression: 'create index profile_dispatch_left on profile_dispatch (left_at) where left_at is not null',
    },
  ],
  policies: policies({ app: `organization_id = ${ENTERED}`, dispatch: true }),
  rowLevelSecurity: 'force',
});

export class ProfileDispatch extends schema.class {}
schema.setClass(ProfileDispatch);
