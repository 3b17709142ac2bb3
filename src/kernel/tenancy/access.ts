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
} from './contexts.ts';

/** How a caller enters one organization: statements that go before its own, and what their rows mean. */
export interface OrganizationAccess {
  readonly organizationId: string;
  /** Where a call waits for its connection. */
  readonly line: Line;
  readonly statements: readonly Statement[];
  /** Throws where the caller is not let in. `sets` are the rows of `statements`, one list each. */
  admit(sets: readonly unknown[][]): void;
  /** The answer to a write that was in flight while the organization was purged, and misses what it references. */
  readonly gone: ErrorRow;
}

/** An owner's way in: 404 `organization_not_found` for those who do not belong to it. */
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
 * An owner's way in to write: 409 besides while the organization is being onboarded, unless the write is one of those that
 * onboarding permits. The caller that opens it counts the administrator's use.
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
    throw new ApiError(EdgeErrors.stateConflict, { message: 'The organization is still being onboarded.' });
}

/**
 * The way into an organization that a trusted caller names. `confirm` runs inside it and sets `app.org` to '' again unless
 * everything holds, so that statements behind it in one batch see nothing; `admit` throws what its rows then mean.
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
 * The way into an active organization that a runtime names by its lease, or a job by the row that it found. `refusal` is
 * the answer when there is no such organization, or it is being deleted or onboarded. By the urgent lane, unless no lease
 * hangs on it.
 */
export function activeAccess(organizationId: string, refusal: ErrorRow, lane: Lane = 'urgent'): OrganizationAccess {
  return accessWhile(sql`o.status = 'active'`, organizationId, refusal, lane);
}

/** The way into an organization for what reads on behalf of several who were let in before; refused once it is deleted. */
export function standingAccess(organizationId: string, refusal: ErrorRow): OrganizationAccess {
  return accessWhile(sql`o.status <> 'deleting'`, organizationId, refusal, 'ordinary');
}

function accessWhile(condition: Sql, organizationId: string, refusal: ErrorRow, lane: Lane): OrganizationAccess {
  const admit = ([confirmed]: readonly Confirmed[]) => {
    if (!confirmed?.entered) throw new ApiError(refusal);
  };
  return confirmedAccess(organizationId, enterWhile(condition, organizationId), admit, refusal, lane);
}
