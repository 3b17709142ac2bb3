import { Injectable, Logger } from '@nestjs/common';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { Reads, type Statement } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import {
  type Failure,
  HealthObservationsService,
  IntegrationErrors,
  ProviderAskingService,
  ProviderFailure,
  type ReportPage,
  type VerifiedResource,
} from '../../integrations/index.ts';
import { plusDays, type ReadCoverage, reportingGiven, reportingTogether } from '../definitions/index.ts';
import { InsightMetrics } from '../insight.metrics.ts';
import { type Published, PublicationService } from '../publication/publication.service.ts';
import { visibleCoverage } from '../publication/publication.queries.ts';
import { backOffMs } from './back-off.ts';
import {
  type Claim,
  CollectionClaimsService,
  type CommittedPage,
  dayAt,
  earliestDue,
  LostLease,
} from './collection-claims.service.ts';
import { endCollection, releaseSource, type ReadRow, stagedFacts, storeRead, type Told } from './collection.queries.ts';
import { collectedCoverage, collectedFigures, factOf } from './collected-figures.ts';
import { later } from './later.ts';
import { CollectionPaceService } from './collection-pace.service.ts';
import { progressBehind } from './progress-behind.ts';
import { beginRecalculation, endRecalculation } from './recalculation.queries.ts';
import { rhythmOf } from './read-rhythm.ts';
import { coverageOfSource } from './source-summary.ts';

/** Refusals in a row that say that something has to be configured. */
const REJECTIONS = 3;
/** Days back in which a state that was seen may still be told as running. */
const SETTLED_DAYS = 31;

/** Reads one collection of a source: its pages one by one, each kept as it comes, and then makes the whole visible. */
@Injectable()
export class CollectionsService {
  private readonly logger = new Logger('Insights');
  private readonly outcomes: Readonly<Record<'published' | 'failed' | 'deferred' | 'abandoned', Addend>>;
  private readonly requests: Addend;

  constructor(
    private readonly claims: CollectionClaimsService,
    private readonly asking: ProviderAskingService,
    private readonly publication: PublicationService,
    private readonly observations: HealthObservationsService,
    private readonly reads: Reads,
    private readonly pace: CollectionPaceService,
    metrics: Metrics,
  ) {
    const counter = (outcome: keyof typeof this.outcomes) => metrics.counter(InsightMetrics.collections, { outcome });
    this.outcomes = {
      published: counter('published'),
      failed: counter('failed'),
      deferred: counter('deferred'),
      abandoned: counter('abandoned'),
    };
    this.requests = metrics.counter(InsightMetrics.requests);
  }

  async collect(claim: Claim, signal: AbortSignal): Promise<void> {
    try {
      const told = await this.readPages(claim, signal);
      if (told) await this.publish(claim, told);
    } catch (error) {
      if (!(error instanceof LostLease)) await this.fail(claim, error, signal);
    }
  }

  /** What the pages told; undefined where they go on later. */
  private async readPages(claim: Claim, signal: AbortSignal): Promise<Told | undefined> {
    const { read, collection } = claim;
    const rhythm = rhythmOf(read);
    let { checkpoint } = claim;
    let { calls, told } = collection;
    while (!told.isOver) {
      if (signal.aborted) {
        await this.claims.end(claim, () => ({ source: {} }));
        return undefined;
      }
      if (calls > collection.calls) await this.pace.rest(rhythm.spacingMs, signal);
      this.requests.inc();
      const page = await this.ask(claim, checkpoint, signal);
      if (hasMoved(claim, page)) {
        await this.move(claim, page);
        return undefined;
      }
      calls += 1;
      told = toldBehind(told, page, checkpoint);
      const facts = new Map(page.items.map(({ key, entries }) => [key, factOf(read, entries)]));
      // A list whose newest days are whole may end at the cap; another one goes on where it was.
      const isCapped = calls - collection.calls >= rhythm.calls && told.wholeFrom !== null;
      told = { ...told, isOver: page.checkpoint === null || isCapped };
      const committed: CommittedPage = { facts, calls, told, checkpoint: page.checkpoint };
      await this.claims.keep(claim, committed);
      checkpoint = page.checkpoint;
      const isResting = page.restSeconds !== undefined || calls - collection.calls >= rhythm.calls;
      if (!told.isOver && isResting) {
        await this.rest(claim, page.restSeconds ?? 0);
        return undefined;
      }
    }
    return told;
  }

  private ask(
    { connector, credential, source, collection, read, timezone }: Claim,
    checkpoint: Claim['checkpoint'],
    signal: AbortSignal,
  ): Promise<ReportPage> {
    const { fromDay: from, toDay: to } = collection;
    const { resourceId, accountId, environment } = source;
    const resource = (connector.row.verifiedResources ?? []).find(
      (each: VerifiedResource) =>
        each.resourceId === resourceId && each.accountId === accountId && each.environment === environment,
    )!;
    const settings = connector.row.settings ?? {};
    const request = { settings, resource, from, to, timezone, grain: read.grain, checkpoint };
    return this.asking.stored(
      connector,
      credential,
      'report',
      ({ adapter, access, net }) => {
        const report = adapter.reports?.find(({ key }) => key === read.report);
        if (!report) throw new TypeError(`Nothing reports ${read.report} of ${source.provider}.`);
        return report.next(request, access, net);
      },
      signal,
    );
  }

  private async publish(claim: Claim, told: Told): Promise<void> {
    const { organizationId, source, leaseToken, collection, read, timezone } = claim;
    const access = standingAccess(organizationId, EdgeErrors.organizationNotFound);
    const staged = await this.reads.through(access, stagedFacts(organizationId, collection.id));
    const { figures, late } = collectedFigures(
      read,
      staged.map(({ fact }) => fact),
    );
    const { fromDay: from, toDay: to, purpose, startedAt } = collection;
    const { reporting } = told;
    const work = { from, to, purpose };
    const coverage = collectedCoverage(read, { work, wholeFrom: told.wholeFrom, startedAt, timezone, reporting });
    const settled = read.backfill === null ? await this.settledStates(claim) : [];
    const place = { sourceId: source.id, integrationId: source.integrationId, collectionId: collection.id, leaseToken };
    const published = await this.publication.publish(
      organizationId,
      { ...place, stamp: collection.stamp, read, timezone, coverage, settled, figures, late },
      (made) => this.behind(claim, told, made),
    );
    this.outcomes[published ? 'published' : 'abandoned'].inc();
    if (published) return;
    await this.claims.end(claim, ({ now }) => ({
      source: { dueAt: now },
      statements: endCollection(organizationId, collection.id, { status: 'abandoned', now }),
    }));
  }

  /** What is written with a publication: the collection ends, its read goes on later, and the source is free. */
  private behind(claim: Claim, told: Told, { revision, now, source }: Published): readonly Statement[] {
    const { organizationId, collection, read, leaseToken, timezone } = claim;
    const reads = claim.reads.map((row): ReadRow => {
      if (row.readKey !== read.key) return row;
      return progressBehind(read, row, collection, told, dayAt(now, timezone), now);
    });
    const isHistoryLeft = reads.some(({ progress }) => progress.from !== null && !progress.backfilled);
    return [
      ...endCollection(organizationId, collection.id, { status: 'published', revision, now }),
      storeRead(
        organizationId,
        source.id,
        reads.find(({ readKey }) => readKey === read.key)!,
      ),
      releaseSource(organizationId, source.id, leaseToken, {
        ...source,
        dueAt: isHistoryLeft ? now : earliestDue(reads),
        backoffUntil: null,
        failures: 0,
        rejections: 0,
        coverage: coverageOfSource(reads, told.reporting),
        lastCollectedAt: now,
        lastError: null,
      }),
      beginRecalculation(organizationId, source.dataset),
      endRecalculation(organizationId, source.dataset),
    ];
  }

  /** States of days that are over by now: what was seen last of them is what they keep. */
  private async settledStates(claim: Claim): Promise<readonly ReadCoverage[]> {
    const { organizationId, source, read, timezone, collection } = claim;
    const today = collection.fromDay;
    const { key: readKey, version } = read;
    const place = { organizationId, sourceId: source.id, readKey, version, timezone };
    const known = await this.reads.through(
      standingAccess(organizationId, EdgeErrors.organizationNotFound),
      visibleCoverage(place, plusDays(today, -SETTLED_DAYS), today),
    );
    return known
      .filter(({ provisional }) => provisional)
      .map(({ periodStart, status, reason, collectedAt, reporting }) => ({
        periodStart,
        status: status === 'partial' && reason === null ? 'complete' : status,
        reason,
        provisional: false,
        collectedAt,
        reporting,
      }));
  }

  /** Leaves what was read for later, because the provider or a bound wants a rest. */
  private rest(claim: Claim, seconds: number): Promise<void> {
    return this.claims.end(claim, ({ now }) => ({
      source: { dueAt: now, backoffUntil: seconds > 0 ? later(now, seconds * 1_000) : null },
    }));
  }

  /** The account counts its days in another timezone by now: what was read belongs to none. */
  private move(claim: Claim, { reporting }: ReportPage): Promise<void> {
    const { organizationId, collection } = claim;
    this.outcomes.abandoned.inc();
    return this.claims.end(claim, ({ now }) => ({
      source: { dueAt: now, timezone: String(reporting!['timezone']) },
      statements: endCollection(organizationId, collection.id, { status: 'abandoned', now }),
    }));
  }

  /** A failure publishes nothing and takes nothing away. */
  private async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return this.claims.end(claim, () => ({ source: {} }));
    const { organizationId, collection, source } = claim;
    const failure = failureOf(error);
    if (!failure) this.logger.error(`the source ${source.id} cannot be collected: ${(error as Error).message}`, error);
    const { code, status = null, retryAfterSeconds = null } = failure ?? { code: 'internal' };
    const lastError = { code, status };
    const failed = (now: string) =>
      endCollection(organizationId, collection.id, { status: 'failed', error: lastError, now });
    const isRefused = ['credential_refused', 'scope_lost', 'rejected', 'out_of_scope', 'not_found'].includes(code);
    this.outcomes[isRefused ? 'failed' : 'deferred'].inc();
    if (code === 'credential_refused' || code === 'scope_lost') {
      await this.claims.end(claim, ({ now }) => ({
        source: { pausedReason: 'access_lost', dueAt: now, lastError },
        statements: failed(now),
      }));
      return this.observe(claim, code, failure?.resource);
    }
    if (code === 'rejected' || code === 'out_of_scope' || code === 'not_found') {
      await this.claims.end(claim, ({ now, rejections, failures }) => ({
        source: {
          rejections: rejections + 1,
          failures: failures + 1,
          pausedReason: rejections + 1 >= REJECTIONS ? 'configuration_required' : null,
          dueAt: now,
          backoffUntil: later(now, backOffMs(failures, null)),
          lastError,
        },
        statements: failed(now),
      }));
      return;
    }
    await this.claims.end(claim, ({ now, failures }) => ({
      source: {
        failures: failures + 1,
        dueAt: now,
        backoffUntil: later(now, backOffMs(failures, retryAfterSeconds)),
        lastError,
      },
    }));
  }

  /** What a collection saw of a credential says something of the connector too. */
  private observe({ connector, source }: Claim, code: 'credential_refused' | 'scope_lost', resource?: string) {
    const own = resource === undefined ? 'credential' : `resource:${resource}`;
    const scope = source.dataset === 'conversations' ? 'reporting' : own;
    return this.observations.observe(connector.row, { scope, code });
  }
}

function hasMoved({ source, timezone }: Claim, { reporting }: ReportPage): boolean {
  const said = reporting?.['timezone'];
  return source.dataset === 'web' && typeof said === 'string' && said !== timezone;
}

function toldBehind(told: Told, page: ReportPage, checkpoint: Claim['checkpoint']): Told {
  const { wholeFrom = null, reporting } = page;
  const at = typeof checkpoint?.['page'] === 'number' ? checkpoint['page'] : 1;
  return {
    wholeFrom: page.checkpoint === null ? wholeFrom : (wholeFrom ?? told.wholeFrom),
    // Rows of the day that is not whole yet began on the page that ended the day behind it.
    wholePage: wholeFrom !== null && wholeFrom !== told.wholeFrom ? at : told.wholePage,
    lastPage: at,
    reporting: reportingTogether(told.reporting, reportingGiven(reporting)),
    isOver: false,
  };
}

/** What a failure is to a collection; undefined of what is none of the provider's. */
function failureOf(error: unknown): Pick<Failure, 'code' | 'status' | 'retryAfterSeconds' | 'resource'> | undefined {
  if (error instanceof ProviderFailure) return error.failure;
  if (!(error instanceof ApiError)) return undefined;
  const isOutage = error.row === IntegrationErrors.providerUnavailable;
  return { code: isOutage ? 'unavailable' : 'credential_refused', status: null, retryAfterSeconds: null };
}
