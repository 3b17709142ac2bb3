import { p } from '@mikro-orm/core';
import { Organization } from '../../organizations/index.ts';
import { MetricSource } from './metric-source.entity.ts';

/** The organization as the first part of a key that is not an id. */
export const organizationKey = {
  organization: () =>
    p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
  organizationId: p.uuid().persist(false),
};

const source = () =>
  p
    .manyToOne(MetricSource)
    .joinColumns('organization_id', 'source_id')
    .referencedColumnNames('organization_id', 'id')
    .updateRule('no action')
    .deleteRule('no action');

/** The reference of a row to its source. */
export const ofSource = { source, sourceId: p.uuid().persist(false) };

/** The same as the first part of the row's key. */
export const sourceOwned = {
  source: () => source().primary(),
  organizationId: p.uuid().persist(false),
  sourceId: p.uuid().persist(false),
};
