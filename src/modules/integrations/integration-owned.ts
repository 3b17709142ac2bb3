import { p } from '@mikro-orm/core';
import { Integration } from './integration.entity.ts';

/**
 * The first columns of every table whose rows hang on a connector: they go with it, and their primary keys begin with
 * `(organization_id, integration_id)`.
 */
export const integrationOwned = {
  integration: () =>
    p
      .manyToOne(Integration)
      .primary()
      .joinColumns('organization_id', 'integration_id')
      .referencedColumnNames('organization_id', 'id')
      .updateRule('no action')
      .deleteRule('no action'),
  organizationId: p.uuid().persist(false),
  integrationId: p.uuid().persist(false),
};
