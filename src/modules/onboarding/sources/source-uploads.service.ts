import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, issueAt } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { mediaTypeOf, ObjectStore, type StoredBytes } from '../../../kernel/storage/index.ts';
import { type Upload, Uploads } from '../../../kernel/uploads/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import type { SourceDto, StoreSourceQuery } from '../onboarding.dto.ts';
import { OnboardingErrors, OnboardingIssues } from '../onboarding.errors.ts';
import { lockedOnboarding, moved } from '../onboarding-lock.ts';
import { SOURCES } from '../onboarding.policy.ts';
import { clearReview, type LockedOnboarding } from '../onboarding.queries.ts';
import { SOURCE_MEDIA_TYPES } from './source-media-types.ts';
import { SourceRemovalService } from './source-removal.service.ts';
import { type HeldSource, heldSources, insertSource, onboardingUploads, type SourceRef } from './sources.queries.ts';
import { isWhole } from './stored-source.ts';

const LIMITS = { maxBytes: SOURCES.mostBytesOfOne, tooLarge: OnboardingErrors.tooLarge };

/** A source as its owner gives it; the bytes once they are stored. */
type GivenSource = StoreSourceQuery & Partial<StoredBytes>;

/** What the locked onboarding has: its state, and the source of this id beside all others. */
interface Standing {
  readonly onboarding: LockedOnboarding;
  readonly present: HeldSource | undefined;
  readonly others: readonly HeldSource[];
}

/**
 * Makes files sources. The state of the onboarding is checked before the first byte is read, and again when the bytes become
 * the source.
 */
@Injectable()
export class SourceUploadsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly uploads: Uploads,
    private readonly objects: ObjectStore,
    private readonly removal: SourceRemovalService,
    private readonly activity: ActivityLogService,
  ) {}

  async store(owner: OwnerPrincipal, ref: SourceRef, query: StoreSourceQuery, body: Readable): Promise<SourceDto> {
    const { upload, given } = await this.begin(owner, ref, query, body);
    let replaced: Upload | undefined;
    const keep = (stored: StoredBytes, damaged?: HeldSource) =>
      this.onOnboarding(owner, ref, async (tx, standing) => {
        const source = { ...given, ...stored };
        const { present } = standing;
        // The work may run again.
        replaced = undefined;
        if (isSame(standing, source) && present?.uploadId !== damaged?.uploadId)
          return { kept: toSource(present!), isNew: false, repeated: present! };
        if (present) replaced = { organizationId: ref.organizationId, id: present.uploadId };
        return { kept: await this.keep(tx, owner, ref, upload, source, standing), isNew: true, repeated: undefined };
      });
    const source = await this.uploads.store(
      onboardingUploads,
      upload,
      { bytes: body, limits: LIMITS },
      async (stored) => {
        const kept = await keep(stored);
        // What is acknowledged again must still be there; looks without a lock, which would be held while bytes arrive.
        const stands = !kept.repeated || (await isWhole(this.objects, ref.organizationId, kept.repeated));
        return stands ? kept : keep(stored, kept.repeated);
      },
    );
    if (replaced) await this.uploads.discard(onboardingUploads, replaced);
    return source;
  }

  /** Notes an upload, or refuses it before its body is read; drops the body then, so that the answer arrives. */
  private async begin(owner: OwnerPrincipal, ref: SourceRef, query: StoreSourceQuery, body: Readable) {
    const upload = { organizationId: ref.organizationId, id: newId() };
    try {
      const mediaType = mediaTypeOf(query.mediaType, OnboardingErrors.unsupported, SOURCE_MEDIA_TYPES);
      const given = { ...query, mediaType };
      await this.onOnboarding(owner, ref, async (tx, standing) => {
        // Whether the bytes are those that the source has is only known behind the last of them.
        if (!isSame(standing, given)) admit(standing, 0);
        await tx.rows(onboardingUploads.begin(upload));
      });
      return { upload, given };
    } catch (error) {
      body.resume();
      throw error;
    }
  }

  private async keep(
    tx: Tx,
    owner: OwnerPrincipal,
    ref: SourceRef,
    upload: Upload,
    source: GivenSource & StoredBytes,
    standing: Standing,
  ): Promise<SourceDto> {
    const { organizationId, sourceId } = ref;
    const to = admit(standing, source.sizeBytes);
    // The sweep gave the bytes up before this request got here.
    if ((await tx.rows(onboardingUploads.end(upload))).length === 0) throw new ApiError(EdgeErrors.requestTimeout);
    if (standing.present) await this.removal.removeIn(tx, standing.present);
    const { kind, sizeBytes } = source;
    const entry = this.activity.entry(tx, {
      actor: owner,
      verb: 'onboarding.source_stored',
      subject: { kind: 'onboarding', id: organizationId, label: source.fileName },
      details: { sourceId, kind, sizeBytes },
    });
    const [[stored]] = await tx.batch([
      insertSource(ref, { ...source, uploadId: upload.id, knowledgeId: newId() }),
      clearReview(organizationId, to),
      ...entry,
    ]);
    return stored!;
  }

  private onOnboarding<T>(
    owner: OwnerPrincipal,
    { organizationId, sourceId }: SourceRef,
    work: (tx: Tx, standing: Standing) => Promise<T>,
  ): Promise<T> {
    return this.transactions.statementsInOrganization(
      owner,
      organizationId,
      async (tx) => {
        const onboarding = await lockedOnboarding(tx);
        const sources = await tx.rows(heldSources(organizationId));
        const present = sources.find((source) => source.sourceId === sourceId);
        return work(tx, { onboarding, present, others: sources.filter((source) => source !== present) });
      },
      { whileOnboarding: true },
    );
  }
}

/** Whether an onboarding that is still open has this source already, as far as it is known. */
function isSame({ onboarding, present }: Standing, given: GivenSource): boolean {
  if (!present || onboarding.state === 'completed') return false;
  // Its bytes were found damaged: these take their place.
  if (onboarding.state === 'failed' && onboarding.failedSourceId === present.sourceId) return false;
  const { kind, fileName, mediaType, department = null, sha256 = present.sha256 } = given;
  return (
    present.kind === kind &&
    present.fileName === fileName &&
    present.mediaType === mediaType &&
    present.department === department &&
    present.sha256 === sha256
  );
}

/** The move that a new source is; refused by state, count and size. */
function admit({ onboarding, others }: Standing, sizeBytes: number) {
  const to = moved(onboarding, 'edit');
  const bytes = others.reduce((sum, source) => sum + source.sizeBytes, sizeBytes);
  if (others.length >= SOURCES.most || bytes > SOURCES.mostBytes)
    throw new ApiError(OnboardingErrors.tooManySources, {
      issues: [issueAt('sourceId', OnboardingIssues.tooManySources)],
    });
  return to;
}

function toSource({ uploadId: _upload, knowledgeId: _knowledge, ...source }: HeldSource): SourceDto {
  return source;
}
