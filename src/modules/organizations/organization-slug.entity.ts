import { defineEntity, p } from '@mikro-orm/core';
import { ENTERED, policies } from '../../kernel/tenancy/index.ts';

/** Which slugs are taken, across organizations. Deleted when an organization is marked, so that its slug is free at once. */
const schema = defineEntity({
  name: 'OrganizationSlug',
  tableName: 'organization_slug',
  properties: {
    slug: p.text().primary(),
    organizationId: p.uuid().unique(),
  },
  // A subject that names an organization must see all taken slugs, also those of organizations that it may not enter.
  policies: policies({ app: `organization_id = ${ENTERED}`, appReads: 'true' }),
  rowLevelSecurity: 'force',
});

export class OrganizationSlug extends schema.class {}
schema.setClass(OrganizationSlug);
