import { Injectable } from '@nestjs/common';
import type { Statement, Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import { isUuid } from '../../../kernel/validation/index.ts';
import {
  type Actor,
  ActivityLogService,
  type ActivityVerb,
  lockOrganizationRow,
  OrganizationsService,
} from '../../organizations/index.ts';
import { ConnectorChanged, REQUIREMENT_CHECK, type RequirementCheck } from '../connector-changed.port.ts';
import { ConnectorNotices } from '../connector-notices.port.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { withConnector, withoutConnector } from '../preferences/preference-order.ts';
import { lockPreferences, type Preferences, setPreferences } from '../preferences/preferences.queries.ts';
import { type ConnectorRow, connectors, type IntegrationRow, type Which } from '../readiness/connectors.queries.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import {
  type ChangeableColumns,
  lockConnector,
  noteSeen,
  type SeenColumns,
  updateConnector,
} from './connector-changes.queries.ts';

/** The counters that fence what runs hold; a change moves each once. */
const COUNTERS = {
  credential: 'credentialGeneration',
  settings: 'settingsRevision',
  tools: 'toolsRevision',
  grants: 'grantsRevision',
  context: 'contextRevision',
  collection: 'collectionGeneration',
} as const satisfies Readonly<Record<string, keyof IntegrationRow>>;

export type Counter = keyof typeof COUNTERS;

/** Those whose change invalidates the capabilities that runs hold. */
const FENCES: ReadonlySet<Counter> = new Set(['credential', 'settings', 'tools', 'grants']);

/** The counters of a connector, which what was read before a call to the provider is compared with behind it. */
export type Counters = Readonly<Record<(typeof COUNTERS)[Counter], number>>;

/** A connector that stays as it is until the transaction changes it. */
export interface HeldConnector extends StandingConnector {
  /** The database's clock behind the wait for the lock. */
  readonly now: string;
}

export interface ConnectorChange {
  /** Columns of its row that change; counters are moved by `moves`. */
  readonly set?: Partial<Omit<ChangeableColumns, (typeof COUNTERS)[Counter]>>;
  /** What changes in the tables beside it: credential, inventory, grants; or the row's removal. */
  readonly statements?: readonly Statement[];
  readonly moves?: readonly Counter[];
  /** Whether the epoch advances although no counter does that fences: switch, deletion. */
  readonly movesEpoch?: boolean;
  /** Whether the statements remove the row itself. */
  readonly removes?: boolean;
  /** For the activity log, without secrets and texts of people. */
  readonly entries: readonly ConnectorEntry[];
}

export interface ConnectorEntry {
  readonly verb: Extract<ActivityVerb, `integration.${string}`>;
  readonly details?: Readonly<Record<string, unknown>>;
}

interface Options {
  readonly actor: Actor;
  /** False where nothing that is decided can advance the epoch: then the organization is not locked. */
  readonly mayMoveEpoch?: boolean;
  /** Whether the transaction has advanced the epoch already, which it does once. */
  readonly isEpochMoved?: boolean;
}

/** A reference of a route: an id, or else a key. */
export function byRef(ref: string): Which {
  return isUuid(ref) ? { id: ref } : { key: ref };
}

/**
 * The one way in which a connector is changed: locks organization, connector and preferences in this order, decides on what
 * is read then, and writes; moves counters and epoch once, makes a connector that became usable the last of its purposes,
 * and tells the activity log, those who wait for a connector, and the modules above.
 */
@Injectable()
export class ConnectorChangesService {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly readiness: ReadinessService,
    private readonly activity: ActivityLogService,
    private readonly outbox: Outbox,
    private readonly changed: ConnectorChanged,
    private readonly notices: ConnectorNotices,
  ) {}

  /**
   * Changes a connector by what `decide` says of it as it is held; undefined says that nothing changes, and then nothing
   * moves. Returns it as it stands afterwards, undefined where it is removed; 404 where there is none.
   */
  async change(
    tx: Tx,
    which: Which,
    { actor, mayMoveEpoch = true, isEpochMoved = false }: Options,
    decide: (held: HeldConnector) => ConnectorChange | undefined | Promise<ConnectorChange | undefined>,
  ): Promise<StandingConnector | undefined> {
    const { held, preferences } = await this.hold(tx, which, mayMoveEpoch);
    const change = await decide(held);
    if (!change) return held;
    const { row } = held;
    const { statements = [], moves = [], removes = false, entries } = change;
    const movesEpoch = change.movesEpoch === true || moves.some((counter) => FENCES.has(counter));
    if (movesEpoch && !mayMoveEpoch)
      throw new Error('A change that advances the epoch has not locked the organization.');
    const after = removes ? undefined : changedRow(row, change);
    const check: RequirementCheck = { connectorKey: row.key };
    await tx.batch([
      ...(after ? [updateConnector(tx.organizationId, row.id, after, held.now)] : []),
      ...statements,
      ...(movesEpoch && !isEpochMoved ? [this.organizations.advanceEpoch(tx)] : []),
      ...entries.flatMap(({ verb, details = {} }) =>
        this.activity.entry(tx, { actor, verb, subject: subjectOf(after ? { ...row, ...after } : row), details }),
      ),
      this.outbox.event(tx.organizationId, REQUIREMENT_CHECK, check),
      ...this.changed.statements(row),
    ]);
    this.changed.tell(tx, row);
    if (removes) {
      await this.reorder(tx, preferences, withoutConnector(preferences.order, row.key));
      await this.tellPeople(tx, row, undefined, change);
      return undefined;
    }
    const standing = await this.read(tx, { id: row.id });
    if (standing.isUsable)
      await this.reorder(tx, preferences, withConnector(preferences.order, row.key, standing.row.purposes));
    await this.tellPeople(tx, row, standing.row, change);
    return standing;
  }

  /** Puts before people what only they can mend, and takes it back once they have. */
  private async tellPeople(
    tx: Tx,
    before: ConnectorRow,
    after: ConnectorRow | undefined,
    { entries }: ConnectorChange,
  ): Promise<void> {
    const verbs = new Set(entries.map(({ verb }) => verb));
    if (verbs.has('integration.tools_quarantined')) await this.notices.tell(tx, after ?? before, 'tools_quarantined');
    else if (hasQuarantined(before) && !(after && hasQuarantined(after)))
      await this.notices.withdraw(tx, before, 'tools_quarantined');
    if (verbs.has('integration.reauthorization_required'))
      await this.notices.tell(tx, after ?? before, 'reauthorization_required');
    else if (isUnauthorized(before) && !(after && isUnauthorized(after)))
      await this.notices.withdraw(tx, before, 'reauthorization_required');
  }

  /**
   * The statement that writes down what was seen of a held connector where that is no change: for `decide`, which sends it and
   * answers undefined.
   */
  noted({ row }: HeldConnector, seen: Partial<SeenColumns>): Statement {
    return noteSeen(row.organizationId, row.id, { ...row, ...seen });
  }

  /** A connector as this transaction sees it; 404 where there is none. */
  async read(tx: Tx, which: Which): Promise<StandingConnector> {
    const [row] = await tx.rows(connectors(tx.organizationId, which));
    if (!row) throw new ApiError(NOT_FOUND);
    return this.readiness.of(row);
  }

  private async hold(
    tx: Tx,
    which: Which,
    mayMoveEpoch: boolean,
  ): Promise<{ readonly held: HeldConnector; readonly preferences: Preferences }> {
    const { organizationId } = tx;
    if (mayMoveEpoch) {
      const organization = await tx.rows(lockOrganizationRow(organizationId));
      if (organization.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
    }
    const [[locked], [preferences], [row]] = await tx.batch([
      lockConnector(organizationId, which),
      lockPreferences(organizationId),
      connectors(organizationId, which),
    ]);
    if (!locked || !row || !preferences) throw new ApiError(NOT_FOUND);
    return { held: { ...this.readiness.of(row), now: locked.now }, preferences };
  }

  private async reorder(tx: Tx, { revision, order }: Preferences, after: Preferences['order']): Promise<void> {
    if (after !== order) await tx.rows(setPreferences(tx.organizationId, { revision: revision + 1, order: after }));
  }
}

/** 409 `stale_revision` unless a counter is the one that the caller has read; without one nothing is compared. */
export function requireRevision({ row }: StandingConnector, counter: Counter, expected: number | undefined): void {
  if (expected !== undefined && row[COUNTERS[counter]] !== expected)
    throw conflict(IntegrationIssues.staleRevision, undefined, 'expectedRevision');
}

/** 409 `changed_meanwhile` where a counter moved since the provider was asked. Contexts and reports are no part of that. */
export function requireUnchanged({ row }: StandingConnector, before: Counters): void {
  for (const counter of FENCES)
    if (row[COUNTERS[counter]] !== before[COUNTERS[counter]]) throw conflict(IntegrationIssues.changedMeanwhile);
}

function hasQuarantined({ selection }: ConnectorRow): boolean {
  return Object.values(selection?.tools ?? {}).some(({ quarantined }) => quarantined);
}

function isUnauthorized({ credential }: ConnectorRow): boolean {
  return credential?.state === 'reauthorization_required';
}

/** The connector as the activity log names it. */
export function subjectOf({ id, name }: Pick<ConnectorRow, 'id' | 'name'>) {
  return { kind: 'integration', id, label: name };
}

function changedRow(row: ConnectorRow, { set = {}, moves = [] }: ConnectorChange): ChangeableColumns {
  const moved = new Set(moves);
  const counters = Object.entries(COUNTERS).map(
    ([counter, column]) => [column, row[column] + (moved.has(counter as Counter) ? 1 : 0)] as const,
  );
  return { ...row, ...set, ...(Object.fromEntries(counters) as Counters) };
}
