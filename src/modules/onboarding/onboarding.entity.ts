import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from '../organizations/index.ts';
import type { ReviewDto } from './onboarding.dto.ts';
import { ONBOARDING_STATES, type OnboardingError } from './onboarding.state.ts';

/** How an organization that is being onboarded comes to be active; kept afterwards. Its facts are the organization's own. */
const schema = defineEntity({
  name: 'Onboarding',
  tableName: 'onboarding',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    state: p.enum(ONBOARDING_STATES).columnType('text').default('draft'),
    review: p.json().$type<ReviewDto>().nullable(),
    error: p.json().$type<OnboardingError>().nullable(),
    /** Counts who took the review on; what an earlier one still does is refused. */
    generation: p.integer().default(0),
    /** While a process reads a source; none between two sources. */
    leaseExpiresAt: timestamp().nullable(),
    /** Leases that lapsed since a source was read. */
    lapses: p.integer().default(0),
    /** When a process last took the review on: organizations come in turn. */
    turnAt: timestamp().defaultRaw('clock_timestamp()'),
    startedAt: timestamp().nullable(),
    completedAt: timestamp().nullable(),
    ...timestamps,
  },
  // What the review job looks for every two seconds.
  indexes: [
    {
      name: 'onboarding_reviewing',
      expression:
        "create index onboarding_reviewing on onboarding (turn_at, organization_id) where state = 'reviewing'",
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Onboarding extends schema.class {}
schema.setClass(Onboarding);
