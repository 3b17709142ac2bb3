import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { AgentProfile } from './agent-profile.entity.ts';

/**
 * The row that whatever decides about a profile's capacity locks: a start of a run, disabling or deleting the profile.
 * Behind the organization's load row in the order of locks.
 */
const schema = defineEntity({
  name: 'ProfileLoad',
  tableName: 'profile_load',
  properties: {
    profile: () =>
      p
        .manyToOne(AgentProfile)
        .primary()
        .joinColumns('organization_id', 'agent_profile_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    agentProfileId: p.uuid().persist(false),
    /** How many runs may be live at once. */
    maxLiveRuns: p.integer().default(3),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class ProfileLoad extends schema.class {}
schema.setClass(ProfileLoad);
