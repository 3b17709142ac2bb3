import type { Lane, Line } from '../admission/index.ts';
import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import { type Sql, sql, type Statement } from '../sql/index.ts';
import {
  asReader,
  asSubject,
  type Confirmed,
  enter,
  enterCounted,
  type EnteredOrganization,
  enterWhile,
} from './contexts.queries.ts';
import { type Entrant, outOfScope, requireOpen } from './rights.ts';

/** How a caller enters one organization: statements that run before its own, and the check of their rows. */
export interface OrganizationAccess {
  readonly organizationId: string;
  /** The lane in which the call waits for its connection. */
  readonly line: Line;
  readonly statements: readonly Statement[];
  /** Throws if the caller is not admitted. `sets` are the rows of `statements`, one list each. */
  admit(sets: readonly unknown[][]): void;
  /** The answer to a write that fails on a missing reference because the organization was purged meanwhile. */
  readonly gone: ErrorRow;
}

/**
 * An owner's access; 404 `organization_not_found` for subjects, and tokens, that do not belong to the organization, 401 for
 * members whose role does not permit what they are about to do.
 */
export function ownerAccess(owner: Entrant, organizationId: string, options: { counted: boolean }): OrganizationAccess {
  requireOpen(owner, organizationId);
  return {
    organizationId,
    line: { lane: 'ordinary', key: organizationId },
    statements: [
      asReader(owner.subject),
      options.counted ? enterCounted(organizationId) : enter(owner, organizationId),
    ],
    admit: ([, entered]) => void admitOwner(entered as readonly EnteredOrganization[]),
    gone: EdgeErrors.organizationNotFound,
  };
}

/** The organization as a member entered it. */
export function admitOwner([entered]: readonly EnteredOrganization[]): EnteredOrganization {
  if (!entered) throw new ApiError(EdgeErrors.organizationNotFound);
  if (!entered.permitted) throw outOfScope('is of a member whose role here is viewer, which only reads');
  return entered;
}

/**
 * An owner's access for writes; also 409 while the organization is being onboarded, unless onboarding permits the
 * write. The code that opens the transaction counts the administrator's use.
 */
export function ownerWriteAccess(owner: Entrant, organizationId: string, options: WriteOptions): OrganizationAccess {
  return {
    ...ownerAccess(owner, organizationId, { counted: false }),
    admit: ([, entered]) => admitWrite(admitOwner(entered as readonly EnteredOrganization[]), options),
  };
}

export interface WriteOptions {
  readonly whileOnboarding?: boolean;
}

export function admitWrite({ status }: EnteredOrganization, { whileOnboarding = false }: WriteOptions): void {
  if (status === 'onboarding' && !whileOnboarding)
    throw new ApiError(EdgeErrors.stateConflict, {
      message: 'The organization is still being onboarded; complete the onboarding first.',
    });
}

/**
 * Access to an organization that a trusted caller names. `confirm` runs inside it and sets `app.org` to '' again unless
 * all conditions hold, so that later statements of the same batch see nothing; `admit` throws the error that its rows
 * then mean.
 */
export function confirmedAccess<Row>(
  organizationId: string,
  confirm: Statement<Row>,
  admit: (rows: readonly Row[]) => void,
  gone: ErrorRow,
  lane: Lane,
): OrganizationAccess {
  return {
    organizationId,
    line: { lane, key: organizationId },
    statements: [asSubject('', organizationId), confirm],
    admit: ([, rows]) => admit(rows as Row[]),
    gone,
  };
}

/**
 * Access to an active organization that a runtime names by its lease, or a job by the row that it found. `refusal` is
 * the answer if there is no such organization, or it is being deleted or onboarded. Uses the urgent lane; pass another
 * one if no lease depends on the call.
 */
export function activeAccess(organizationId: string, refusal: ErrorRow, lane: Lane = 'urgent'): OrganizationAccess {
  return accessWhile(sql`o.status = 'active'`, organizationId, refusal, lane);
}

/**
 * Access to an organization, active or being onboarded, for reads on behalf of several callers that were admitted before,
 * and for what a job finds there; refused once it is being deleted.
 */
export function standingAccess(organizationId: string, refusal: ErrorRow): OrganizationAccess {
  return accessWhile(sql`o.status <> 'deleting'`, organizationId, refusal, 'ordinary');
}

function accessWhile(condition: Sql, organizationId: string, refusal: ErrorRow, lane: Lane): OrganizationAccess {
  const admit = ([confirmed]: readonly Confirmed[]) => {
    if (!confirmed?.entered) throw new ApiError(refusal);
  };
  return confirmedAccess(organizationId, enterWhile(condition, organizationId), admit, refusal, lane);
}
