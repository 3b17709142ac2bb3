import type { EntityTx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { Organization } from './organization.entity.ts';
import { lockCapacityRow, lockOrganizationRow } from './organizations.queries.ts';

/**
 * Locks the organization's capacity row, behind the organization's own. What must not overlap a start of a run takes it, so
 * that every start that was not refused has committed.
 */
export async function lockOrganizationCapacity(tx: EntityTx): Promise<void> {
  await tx.rows(lockCapacityRow(tx.organizationId));
}

/** The organization's row, locked; first in the order of locks. One that was marked meanwhile is not found. */
export async function lockOrganization(tx: EntityTx): Promise<Organization> {
  const locked = await tx.rows(lockOrganizationRow(tx.organizationId));
  if (locked.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
  return tx.em.findOneOrFail(Organization, tx.organizationId);
}
