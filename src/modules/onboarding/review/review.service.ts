import { Injectable, Logger } from '@nestjs/common';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { EXTRACTOR_VERSION } from '../../../kernel/extraction/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { KnowledgeMaterialService } from '../../knowledge/index.ts';
import { type Actor, ActivityLogService, type ActivityVerb } from '../../organizations/index.ts';
import { failOnboarding } from '../onboarding.queries.ts';
import { REVIEW } from '../onboarding.policy.ts';
import { type OnboardingError, onboardingMoves } from '../onboarding.state.ts';
import { reviewOf } from './review-document.ts';
import {
  dueReviews,
  factsOf,
  holdReview,
  nextUnread,
  noteDeaths,
  passTurn,
  recordResult,
  recordReview,
  releaseReview,
  reviewedSources,
  takeReview,
  type UnreadSource,
} from './review.queries.ts';
import { type ReadSource, SourceReadingService, tooComplex } from './source-reading.service.ts';
import { type HeldSource, heldSources } from '../sources/sources.queries.ts';

const REVIEWER: Actor = { kind: 'system', name: 'onboarding' };

/** Passages of one statement: their words are found on the thread that answers calls. */
const PASSAGES_AT_ONCE = 20;

/** A review that this process holds, with the source that comes next. */
interface HeldReview {
  readonly organizationId: string;
  readonly generation: number;
  /** None where all are read. */
  readonly source: UnreadSource | undefined;
}

/**
 * Reviews what owners gave to onboardings: organizations in turn, one source each, under a lease. What a source gave is
 * committed with its passages, so whoever takes a review over goes on with the rest.
 */
@Injectable()
export class ReviewService {
  private readonly logger = new Logger('Onboarding');

  constructor(
    private readonly transactions: Transactions,
    private readonly reading: SourceReadingService,
    private readonly material: KnowledgeMaterialService,
    private readonly activity: ActivityLogService,
  ) {}

  /** Goes on until nobody waits whom this process can help. */
  async run(signal: AbortSignal): Promise<void> {
    let hasMoved = true;
    while (hasMoved && !signal.aborted) {
      hasMoved = false;
      for (const { organizationId } of await this.transactions.dispatch((run) => run(dueReviews()))) {
        if (signal.aborted) return;
        if (await this.advance(organizationId, signal)) hasMoved = true;
      }
    }
  }

  /** Reads one source of an organization, or ends its review; whether there was anything to do. */
  private async advance(organizationId: string, signal: AbortSignal): Promise<boolean> {
    try {
      const held = await this.take(organizationId);
      if (!held) return false;
      const { source } = held;
      if (!source) await this.end(held, signal);
      else if (source.deaths >= REVIEW.deathsOfSource) await this.keep(held, source, tooComplex(source));
      else await this.read(held, source, signal);
      return true;
    } catch (error) {
      // The organization was deleted meanwhile.
      if (error instanceof ApiError && error.row === EdgeErrors.stateConflict) return false;
      throw error;
    }
  }

  /** Takes a review, and notes that a process begins with its next source. Fails one with which no process gets on. */
  private take(organizationId: string): Promise<HeldReview | undefined> {
    return this.in(organizationId, async (tx) => {
      const [taken] = await tx.rows(takeReview(organizationId));
      if (!taken) return undefined;
      const { generation, lapses } = taken;
      if (lapses >= REVIEW.lapsesWithoutProgress) {
        await this.fail(tx, generation, {
          code: 'review_failed',
          message: 'The review did not get on. Start it again; if that repeats, tell whoever runs the service.',
          sourceId: null,
        });
        return undefined;
      }
      const [source] = await tx.rows(nextUnread(organizationId, EXTRACTOR_VERSION));
      if (source && source.deaths < REVIEW.deathsOfSource)
        await tx.rows(noteDeaths(organizationId, source.sourceId, source.deaths + 1));
      return { organizationId, generation, source };
    });
  }

  private async read(held: HeldReview, source: UnreadSource, signal: AbortSignal): Promise<void> {
    const { organizationId, generation } = held;
    let read: ReadSource | undefined;
    try {
      read = await this.reading.read(held, source, signal);
    } catch (error) {
      // No death: the process stops, or the bytes did not arrive; then the next try waits until the lease has lapsed.
      await this.in(organizationId, async (tx) => {
        if ((await tx.rows(holdReview(organizationId, generation))).length === 0) return;
        await tx.rows(noteDeaths(organizationId, source.sourceId, source.deaths));
        if (signal.aborted) await tx.rows(releaseReview(organizationId));
      });
      if (!signal.aborted)
        this.logger.warn(`source ${source.sourceId} of ${organizationId} is not read yet: ${(error as Error).message}`);
      return;
    }
    if (read) return this.keep(held, source, read);
    await this.failOver(held, source, (tx) => tx.rows(noteDeaths(organizationId, source.sourceId, source.deaths)));
  }

  /** Fails a review over a source whose bytes are not those that were acknowledged. */
  private async failOver(
    { organizationId, generation }: HeldReview,
    { sourceId, fileName }: HeldSource,
    before: (tx: Tx) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    await this.in(organizationId, async (tx) => {
      if ((await tx.rows(holdReview(organizationId, generation))).length === 0) return;
      await before(tx);
      await this.fail(tx, generation, {
        code: 'bytes_damaged',
        message: `The stored bytes of “${fileName}” are damaged: store the source again.`,
        sourceId,
      });
    });
  }

  /** Keeps what was found in a source, with its passages, unless somebody else has the review by now. */
  private async keep(held: HeldReview, source: UnreadSource, { result, passages }: ReadSource): Promise<void> {
    const { organizationId, generation } = held;
    const { sourceId, knowledgeId, fileName, department } = source;
    await this.in(organizationId, async (tx) => {
      if ((await tx.rows(holdReview(organizationId, generation))).length === 0) return;
      await this.material.removePassages(tx, knowledgeId);
      const audience = { visibility: department === null ? 'organization' : 'department', department } as const;
      for (let first = 0; first < passages.length; first += PASSAGES_AT_ONCE)
        await this.material.writePassages(tx, knowledgeId, {
          ...audience,
          title: fileName,
          texts: passages.slice(first, first + PASSAGES_AT_ONCE),
          firstOrdinal: first,
        });
      const deaths = source.deaths >= REVIEW.deathsOfSource ? source.deaths : 0;
      await tx.batch([
        recordResult(organizationId, sourceId, { extractorVersion: EXTRACTOR_VERSION, result, deaths }),
        passTurn(organizationId),
      ]);
    });
  }

  /** Records a review, unless bytes of a source are gone, which may have been read for an earlier one. */
  private async end(held: HeldReview, signal: AbortSignal): Promise<void> {
    const { organizationId } = held;
    const sources = await this.in(organizationId, (tx) => tx.rows(heldSources(organizationId)));
    let damaged: HeldSource | undefined;
    try {
      damaged = await this.reading.firstDamaged(organizationId, sources, signal);
    } catch (error) {
      // The process stops, or the store did not answer; then the next try waits until the lease has lapsed.
      if (!signal.aborted) {
        this.logger.warn(`sources of ${organizationId} are not checked yet: ${(error as Error).message}`);
        return;
      }
      await this.in(organizationId, async (tx) => {
        if ((await tx.rows(holdReview(organizationId, held.generation))).length > 0)
          await tx.rows(releaseReview(organizationId));
      });
      return;
    }
    await (damaged ? this.failOver(held, damaged) : this.record(held));
  }

  private async record({ organizationId, generation }: HeldReview): Promise<void> {
    await this.in(organizationId, async (tx) => {
      const [[held], [facts], sources] = await tx.batch([
        holdReview(organizationId, generation),
        factsOf(organizationId),
        reviewedSources(organizationId),
      ]);
      if (!held || !facts) return;
      const review = reviewOf({ organizationId, extractorVersion: EXTRACTOR_VERSION, facts, sources });
      const state = onboardingMoves.next('recordReview', 'reviewing');
      await tx.batch([
        recordReview(organizationId, { state, review, now: held.now }),
        ...this.entry(tx, 'onboarding.reviewed', facts.name, {
          sources: sources.length,
          warnings: review.warnings.length,
        }),
      ]);
    });
  }

  private async fail(tx: Tx, generation: number, error: OnboardingError): Promise<void> {
    const { organizationId } = tx;
    const [[held], [facts]] = await tx.batch([holdReview(organizationId, generation), factsOf(organizationId)]);
    if (!held || !facts) return;
    const state = onboardingMoves.next('fail', 'reviewing');
    const { code, sourceId } = error;
    await tx.batch([
      failOnboarding(organizationId, error, { state, now: held.now }),
      ...this.entry(tx, 'onboarding.failed', facts.name, { code, sourceId }),
    ]);
  }

  private entry(tx: Tx, verb: ActivityVerb, label: string, details: Readonly<Record<string, unknown>>) {
    const subject = { kind: 'onboarding', id: tx.organizationId, label };
    return this.activity.entry(tx, { actor: REVIEWER, verb, subject, details });
  }

  private in<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.transactions.through(standingAccess(organizationId, EdgeErrors.stateConflict), work);
  }
}
