import { LockMode } from '@mikro-orm/core';
import { OrganizationNotFound, type Tx } from '../../kernel/database/index.ts';
import { Organization } from './organization.entity.ts';

/** The organization's row, locked; first in the order of locks. One that was marked meanwhile is not found. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<Organization> {
  const organization = await tx.em.findOne(Organization, organizationId, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!organization || organization.status === 'deleting') throw new OrganizationNotFound();
  return organization;
}
