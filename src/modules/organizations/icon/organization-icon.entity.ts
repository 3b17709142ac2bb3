import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Organization } from '../organization.entity.ts';
import { ICON_STATUSES } from './icon.policy.ts';

/**
 * What was last found on an organization's website, for all replicas. It counts only while the organization has this
 * website, and until it expires.
 */
const schema = defineEntity({
  name: 'OrganizationIcon',
  tableName: 'organization_icon',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    website: p.text(),
    status: p.enum(ICON_STATUSES).columnType('text').default('none'),
    mediaType: p.text().nullable(),
    bytes: p.blob().columnType('bytea').nullable(),
    sha256: p.text().nullable(),
    /** When it is looked for again; null before the first look-up has ended. */
    expiresAt: timestamp().nullable(),
    /** Look-ups in a row that found nothing. */
    failures: p.integer().default(0),
    /** Until when whoever claimed the look-up has it. */
    lookupUntil: timestamp().nullable(),
  },
  checks: [
    {
      name: 'organization_icon_found_check',
      expression: "(status = 'found') = (bytes is not null and media_type is not null and sha256 is not null)",
    },
  ],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class OrganizationIcon extends schema.class {}
schema.setClass(OrganizationIcon);
