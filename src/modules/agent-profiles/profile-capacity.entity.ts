import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { AgentProfile } from './agent-profile.entity.ts';
import { PROFILE_LIVE_RUN_LIMIT } from './agent-profile.state.ts';

/**
 * How many runs of a profile may be live at once. Starting a run, disabling and deleting the profile lock this row, behind
 * the organization's capacity row.
 */
const schema = defineEntity({
  name: 'ProfileCapacity',
  tableName: 'profile_capacity',
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
    maxLiveRuns: p.integer().default(PROFILE_LIVE_RUN_LIMIT.default),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class ProfileCapacity extends schema.class {}
schema.setClass(ProfileCapacity);
