import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { activeAccess, standingAccess } from '../../../kernel/tenancy/index.ts';
import { connectors, credentialOf, ReadinessService, type StoredCredential } from '../../integrations/index.ts';
import { organizationById } from '../../organizations/index.ts';
import { datasetOf, type Day, plusDays, type Read, readOf, retainedFrom, timezoneOf } from '../definitions/index.ts';
import { insightState } from '../definition-versions.queries.ts';
import { areCurrent, DefinitionVersionsService } from '../definition-versions.service.ts';
import { lockState } from '../insight-state.queries.ts';
import { sourceAuthority, type Standing, stampOf } from '../sources/source-authority.ts';
import { isReported } from '../sources/source-facts.ts';
import { lockLeasedSource, type SourceRow } from '../sources/sources.queries.ts';
import {
  claimSource,
  type CollectionRow,
  type DueSource,
  type EndedSource,
  endCollection,
  insertCollection,
  NOTHING_TOLD,
  type ReadRow,
  readsOf,
  releaseSource,
  renewLease,
  runningCollection,
  stageFacts,
  storeRead,
  tellCollection,
  type Told,
} from './collection.queries.ts';
import { later } from './later.ts';
import { NO_PROGRESS } from './read-progress.ts';
import { callsADay, nextWork, type Work } from './read-rhythm.ts';
import type { StagedFact } from './staged-fact.ts';

/** How long a collection that was left lying may be continued. */
const CONTINUED_MS = 6 * 3_600_000;
/** When a source that its connector does not stand by is looked at again, though nothing told of a change. */
const LOOKED_AT_MS = 3_600_000;

/** A source that this process collects, and what it reads of it. */
export interface Claim {
  readonly organizationId: string;
  readonly source: SourceRow;
  readonly leaseToken: string;
  readonly connector: Standing;
  readonly credential: StoredCredential | undefined;
  readonly timezone: string;
  readonly read: Read;
  readonly reads: readonly ReadRow[];
  readonly collection: CollectionRow;
  /** With which the first request goes on. */
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
}

/** A page, as it is committed. */
export interface CommittedPage {
  readonly facts: ReadonlyMap<string, StagedFact>;
  readonly calls: number;
  readonly told: Told;
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
}

type Ended = Partial<EndedSource>;

/** Another process has the source by now. */
export class LostLease extends Error {
  constructor() {
    super('The lease of the source was lost.');
  }
}

/** Takes sources, keeps their pages, and gives them back. */
@Injectable()
export class CollectionClaimsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly versions: DefinitionVersionsService,
  ) {}

  /** Undefined where there is nothing to read, or somebody else does. */
  async claim({ organizationId, id, integrationId }: DueSource): Promise<Claim | undefined> {
    const access = activeAccess(organizationId, EdgeErrors.organizationNotFound, 'ordinary');
    const leaseToken = randomUUID();
    let otherTimezone: string | undefined;
    const claim = await this.transactions.through(access, async (tx) => {
      const [, [source]] = await tx.batch([lockState(organizationId), claimSource(organizationId, id, leaseToken)]);
      if (!source) return undefined;
      const purpose = source.dataset === 'conversations' ? 'reporting' : 'primary';
      const [[row], [credential], [organization], [state], known, [running]] = await tx.batch([
        connectors(organizationId, { id: integrationId }),
        credentialOf(organizationId, integrationId, purpose),
        organizationById(organizationId),
        insightState(organizationId),
        readsOf(organizationId, id),
        runningCollection(organizationId, id),
      ]);
      const connector = row && this.readiness.of(row);
      otherTimezone = areCurrent(state, organization!.timezone) ? undefined : organization!.timezone;
      const { now } = source;
      const free = (dueAt: string | null) => releaseSource(organizationId, id, leaseToken, { ...source, dueAt });
      const abandoned = () => (running ? endCollection(organizationId, running.id, { status: 'abandoned', now }) : []);
      if (!connector || !sourceAuthority(connector, source) || !isReported(connector, source)) {
        await tx.batch([...abandoned(), free(later(now, LOOKED_AT_MS))]);
        return undefined;
      }
      const timezone = timezoneOf(source.dataset, organization!.timezone, source.timezone);
      const reads = currentReads(source, known, timezone, now);
      const place = { organizationId, source, leaseToken, connector, credential, timezone };
      if (running && isContinued(running, source, reads, connector, now)) {
        const read = readOf(source.dataset, running.readKey)!;
        const { checkpoint } = reads.find(({ readKey }) => readKey === read.key)!;
        return { ...place, read, reads, collection: running, checkpoint: resumed(read, checkpoint) };
      }
      const isSpent = source.callsDay === now.slice(0, 10) && source.calls >= callsADay(source.dataset);
      const next = isSpent ? undefined : chosen(source, reads, timezone, now);
      if (!next) {
        const dueAt = isSpent ? `${plusDays(now.slice(0, 10), 1)}T00:00:00.000000Z` : earliestDue(reads);
        await tx.batch([...abandoned(), ...reads.map((each) => storeRead(organizationId, id, each)), free(dueAt)]);
        return undefined;
      }
      const collection = begun(next.read, next.work, timezone, stampOf(connector), now);
      const begins = withRead(reads, next.read.key, { checkpoint: next.work.resume });
      await tx.batch([
        ...abandoned(),
        ...begins.map((each) => storeRead(organizationId, id, each)),
        insertCollection(organizationId, id, collection),
      ]);
      return { ...place, read: next.read, reads: begins, collection, checkpoint: next.work.resume };
    });
    // What is read now is of the organization's present days, so its definitions must be.
    if (otherTimezone !== undefined) await this.versions.synchronize(organizationId, otherTimezone);
    return claim;
  }

  /** Commits a page with the checkpoint behind it, and holds the source for another one. */
  keep(
    { organizationId, source, leaseToken, collection, reads, read }: Claim,
    { facts, calls, told, checkpoint }: CommittedPage,
  ): Promise<void> {
    const row = reads.find(({ readKey }) => readKey === read.key)!;
    return this.through(organizationId, async (tx) => {
      const [[live]] = await tx.batch([renewLease(organizationId, source.id, leaseToken)]);
      if (!live) throw new LostLease();
      await tx.batch([
        ...stageFacts(organizationId, collection.id, facts),
        tellCollection(organizationId, collection.id, calls, told),
        storeRead(organizationId, source.id, { ...row, checkpoint }),
      ]);
    });
  }

  /** Gives a source back, with what became of it; nothing happens where another process has it. */
  end(
    claim: Claim,
    become: (source: SourceRow & { readonly now: string }) => {
      readonly source: Ended;
      readonly statements?: readonly Statement[];
    },
  ): Promise<void> {
    const { organizationId, source, leaseToken } = claim;
    return this.through(organizationId, async (tx) => {
      const [held] = await tx.rows(lockLeasedSource(organizationId, source.id, leaseToken));
      if (!held) return;
      const { source: ended, statements = [] } = become(held);
      await tx.batch([...statements, releaseSource(organizationId, source.id, leaseToken, { ...held, ...ended })]);
    });
  }

  private through<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.transactions.through(standingAccess(organizationId, EdgeErrors.organizationNotFound), work);
  }
}

/** When something is due next: a read, or history that goes on at once. */
export function earliestDue(reads: readonly ReadRow[]): string | null {
  return reads.map(({ dueAt }) => dueAt).toSorted()[0] ?? null;
}

/** The reads of a source under their present versions and timezone; those that are new begin anew. */
function currentReads(source: SourceRow, known: readonly ReadRow[], timezone: string, now: string): readonly ReadRow[] {
  return datasetOf(source.dataset).reads.map(({ key, version }) => {
    const was = known.find(({ readKey }) => readKey === key);
    if (was?.version === version && was.timezone === timezone) return was;
    const isMoved = source.dataset === 'web' && was?.version === version;
    return isMoved ? movedRead(was, timezone, now) : freshRead(key, version, timezone, now);
  });
}

function freshRead(readKey: string, version: number, timezone: string, now: string): ReadRow {
  return { readKey, version, timezone, dueAt: now, checkpoint: null, progress: NO_PROGRESS };
}

/** A property that moved counts in its new days from the next whole one on. */
function movedRead({ readKey, version }: ReadRow, timezone: string, now: string): ReadRow {
  const from = plusDays(dayAt(now, timezone), 1);
  const dueAt = Temporal.PlainDate.from(from).toZonedDateTime(timezone).toInstant().toString();
  const progress = { ...NO_PROGRESS, from, to: from, backfilled: true };
  return { readKey, version, timezone, dueAt, checkpoint: null, progress };
}

/** The same reads, one of them changed. */
function withRead(reads: readonly ReadRow[], key: string, change: Partial<ReadRow>): readonly ReadRow[] {
  const at = reads.findIndex(({ readKey }) => readKey === key);
  return reads.with(at, { ...reads[at]!, ...change });
}

export function dayAt(now: string, timezone: string): Day {
  return Temporal.Instant.from(now).toZonedDateTimeISO(timezone).toPlainDate().toString();
}

/** Reads that are due, the one that waits longest first; then history. */
function chosen(source: SourceRow, reads: readonly ReadRow[], timezone: string, now: string) {
  const today = dayAt(now, timezone);
  const works = reads
    .toSorted((one, other) => (one.dueAt < other.dueAt ? -1 : 1))
    .flatMap(({ readKey, dueAt, progress }) => {
      const read = readOf(source.dataset, readKey)!;
      const historyFrom = retainedFrom(read.backfill, today);
      const isDue = dueAt <= now;
      const work = nextWork(read, { isDue, progress, historyFrom, today, now });
      return work && work.from < work.to ? [{ read, work }] : [];
    });
  return works.find(({ work }) => work.purpose !== 'history') ?? works[0];
}

function begun(read: Read, work: Work, timezone: string, stamp: string, now: string): CollectionRow {
  return {
    id: newId(),
    readKey: read.key,
    readVersion: read.version,
    timezone,
    purpose: work.purpose,
    fromDay: work.from,
    toDay: work.to,
    calls: 0,
    stamp,
    told: NOTHING_TOLD,
    startedAt: now,
  };
}

function isContinued(
  { readKey, readVersion, timezone, stamp, startedAt }: CollectionRow,
  source: SourceRow,
  reads: readonly ReadRow[],
  connector: Standing,
  now: string,
): boolean {
  const row = reads.find((each) => each.readKey === readKey);
  const isSame = row?.version === readVersion && row.timezone === timezone && stamp === stampOf(connector);
  // How things stand is asked at one time, or not at all.
  const isGauge = readOf(source.dataset, readKey)?.backfill === null;
  return isSame && !isGauge && Date.parse(now) - Date.parse(startedAt) < CONTINUED_MS;
}

/** Numbered pages move while a list grows: one is read twice rather than none. */
function resumed({ dataset }: Read, checkpoint: Claim['checkpoint']): Claim['checkpoint'] {
  const page = checkpoint?.['page'];
  if (dataset === 'web' || typeof page !== 'number' || page <= 1) return checkpoint;
  return { ...checkpoint, page: page - 1 };
}
