import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { DEPARTMENTS, organizationOwned } from '../organizations/index.ts';
import { PROFILE_KINDS, PROFILE_STATUSES, UPDATE_POLICIES } from './agent-profile.state.ts';
import type { TemplateConfig } from './catalog.ts';

const schema = defineEntity({
  name: 'AgentProfile',
  tableName: 'agent_profile',
  properties: {
    ...organizationOwned,
    key: p.text(),
    name: p.text(),
    kind: p.enum(PROFILE_KINDS).columnType('text'),
    department: p.enum(DEPARTMENTS).columnType('text').nullable(),
    status: p.enum(PROFILE_STATUSES).columnType('text'),
    rootUri: p.text(),
    instructionsUri: p.text(),
    memoryRootUri: p.text(),
    /** What a template configures; `catalogSource` says which template at which revision. */
    config: p.json<TemplateConfig>(),
    catalogTemplateKey: p.text(),
    catalogRevision: p.text(),
    catalogUpdatePolicy: p.enum(UPDATE_POLICIES).columnType('text'),
    /** A deleted profile is hidden and kept, so that what it did still names it. */
    deletedAt: timestamp().nullable(),
    /** When the sweep found none of a deleted profile's tasks open any more. */
    tasksCancelledAt: timestamp().nullable(),
    /** Its department's switch disabled it, and brings it back. */
    disabledByDepartment: p.boolean().default(false),
    ...timestamps,
  },
  uniques: [
    { name: 'agent_profile_key', properties: ['organization', 'key'], where: 'deleted_at is null' },
    {
      name: 'agent_profile_single_kind',
      properties: ['organization', 'kind'],
      where: "kind in ('operator', 'chat') and deleted_at is null",
    },
  ],
  indexes: [
    // Publication re-pins by template and revision, across organizations.
    {
      name: 'agent_profile_auto',
      properties: ['catalogTemplateKey', 'catalogRevision'],
      where: "catalog_update_policy = 'auto'",
    },
    // What the sweep of deleted profiles' tasks looks for, across organizations.
    {
      name: 'agent_profile_orphans',
      expression:
        'create index agent_profile_orphans on agent_profile (organization_id, id) where deleted_at is not null and tasks_cancelled_at is null',
    },
  ],
  checks: [
    { name: 'agent_profile_kind_has_department', expression: `(kind = 'department') = (department is not null)` },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class AgentProfile extends schema.class {}
schema.setClass(AgentProfile);
