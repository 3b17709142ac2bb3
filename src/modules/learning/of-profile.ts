import { p } from '@mikro-orm/core';
import { AgentProfile } from '../agent-profiles/index.ts';

/** The key of what belongs to one profile. */
export const ofProfile = {
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
};
