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

/** An owner's access; 404 `organization_not_found` for subjects that do not belong to the organization. */
export function ownerAccess(
  subject: string,
  organizationId: string,
  options: { counted: boolean },
): OrganizationAccess {
  const enters = options.counted ? enterCounted(organizationId) : enter(subject, organizationId);
  return {
    organizationId,
    line: { lane: 'ordinary', key: organizationId },
    statements: [asReader(subject), enters],
    admit([, entered = []]) {
      if (entered.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
    },
    gone: EdgeErrors.organizationNotFound,
  };
}

/**
 * An owner's access for writes; also 409 while the organization is being onboarded, unless onboarding permits the
 * write. The code that opens the transaction counts the administrator's use.
 */
export function ownerWriteAccess(subject: string, organizationId: string, options: WriteOptions): OrganizationAccess {
  const access = ownerAccess(subject, organizationId, { counted: false });
  return {
    ...access,
    admit(sets) {
      access.admit(sets);
      admitWrite(sets[1]![0] as EnteredOrganization, options);
    },
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
 * Access to an organization for reads on behalf of several callers that were admitted before; refused once it is being
 * deleted.
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
