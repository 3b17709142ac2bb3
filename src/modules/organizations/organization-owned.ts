import { p } from '@mikro-orm/core';
import { Organization } from './organization.entity.ts';

/**
 * The first columns of every table that belongs to an organization: primary key `(organization_id, id)`. The
 * organization is a relation inside the key, and the scalar only its shadow: a scalar key beside composite relations
 * would let MikroORM write a row into another organization.
 */
export const organizationOwned = {
  organization: () =>
    p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
  organizationId: p.uuid().persist(false),
  id: p.uuid().primary(),
};
