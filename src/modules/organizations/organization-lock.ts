import { statement, type EntityTx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { Organization } from './organization.entity.ts';

/**
 * Locks the organization's capacity row, behind the organization's own. What must not overlap a start of a run takes it, so
 * that every start that was not refused has committed.
 */
export async function lockOrganizationCapacity(tx: EntityTx, organizationId: string): Promise<void> {
  await tx.rows(
    statement(`select from organization_capacity where organization_id = $1 for no key update`, organizationId),
  );
}

/** The organization's row, locked; first in the order of locks. One that was marked meanwhile is not found. */
export async function lockOrganization(tx: EntityTx, organizationId: string): Promise<Organization> {
  // Not FOR UPDATE, which would hold up every insert of a row that references the organization.
  const locked = await tx.rows(
    statement(`select from organization where id = $1 and status <> 'deleting' for no key update`, organizationId),
  );
  if (locked.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
  return tx.em.findOneOrFail(Organization, organizationId);
}
