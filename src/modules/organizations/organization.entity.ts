import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { BOOTSTRAP, ENTERED, policies, SUBJECT } from '../../kernel/tenancy/index.ts';
import { LIVE_RUN_LIMIT } from './organization.policy.ts';
import { type Department, DEPARTMENTS, ORGANIZATION_STATUSES } from './organization.state.ts';

/**
 * The one policy with a subquery, which an engine that shards by organization refuses. A function in its place makes a list
 * of 50 organizations slower (measured: 0.70 ms, against 0.43); ids in a setting would hide every organization from the
 * release before, which does not set them.
 */
const belongs = `exists (select from membership m where m.organization_id = organization.id and m.subject = ${SUBJECT})`;

const schema = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  properties: {
    id: p.uuid().primary(),
    slug: p.text(),
    name: p.text(),
    status: p.enum(ORGANIZATION_STATUSES).columnType('text'),
    /** Unknown until someone names it, where the organization began as an onboarding; so is the currency. */
    website: p.text().nullable(),
    defaultCurrency: p.text().nullable(),
    timezone: p.text(),
    onboardedAt: timestamp().nullable(),
    workDispatchStoppedAt: timestamp().nullable(),
    authorizationEpoch: p.integer().default(1),
    enabledDepartments: p.array().columnType('text[]').$type<Department[]>(),
    maxTaskDepth: p.integer().default(4),
    maxPlanOperations: p.integer().default(25),
    maxInitiativeDescendants: p.integer().default(100),
    /** As the capacity row has it, which starts lock and read; here for lists of organizations. */
    maxLiveRuns: p.integer().default(LIVE_RUN_LIMIT.default),
    allowedIntegrations: p.array().columnType('text[]').$type<string[]>(),
    blockedDomains: p.array().columnType('text[]').$type<string[]>(),
    approvalRequiredForRisk: p.array().columnType('text[]').$type<string[]>(),
    ...timestamps,
  },
  // What the purge looks for every few seconds.
  indexes: [{ name: 'organization_deleting', properties: ['updatedAt'], where: "status = 'deleting'" }],
  checks: [
    {
      name: 'organization_departments_check',
      expression: `enabled_departments <@ array[${DEPARTMENTS.map((key) => `'${key}'`).join(', ')}]`,
    },
  ],
  policies: policies({
    app: `id = ${ENTERED}`,
    appReads: `${SUBJECT} = '${BOOTSTRAP}' or ${belongs}`,
    dispatch: true,
  }),
  rowLevelSecurity: 'force',
});

export class Organization extends schema.class {}
schema.setClass(Organization);
