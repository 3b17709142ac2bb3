import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, issueAt } from '../../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../../kernel/http/index.ts';
import { ObjectStore } from '../../../kernel/storage/index.ts';
import { Uploads } from '../../../kernel/uploads/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import type { SourceDto } from '../onboarding.dto.ts';
import { OnboardingErrors } from '../onboarding.errors.ts';
import { lockedOnboarding, moved } from '../onboarding-lock.ts';
import { clearReview } from '../onboarding.queries.ts';
import { SourceRemovalService } from './source-removal.service.ts';
import { keyOfSource } from './stored-source.ts';
import {
  fileOfSource,
  heldSources,
  mayReadSource,
  onboardingUploads,
  type SourceFile,
  type SourceRef,
} from './sources.queries.ts';

/** Deletes sources, and opens them for owners and for executions that may read them; to others they do not exist. */
@Injectable()
export class SourcesService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly objects: ObjectStore,
    private readonly uploads: Uploads,
    private readonly removal: SourceRemovalService,
    private readonly activity: ActivityLogService,
  ) {}

  async delete(owner: OwnerPrincipal, { organizationId, sourceId }: SourceRef): Promise<SourceDto> {
    const deleted = await this.transactions.statementsInOrganization(
      owner,
      organizationId,
      async (tx) => {
        const onboarding = await lockedOnboarding(tx);
        const source = (await tx.rows(heldSources(organizationId))).find((each) => each.sourceId === sourceId);
        if (!source) throw new ApiError(OnboardingErrors.sourceNotFound);
        const to = moved(onboarding, 'edit');
        const entry = this.activity.entry(tx, {
          actor: owner,
          verb: 'onboarding.source_deleted',
          subject: { kind: 'onboarding', id: organizationId, label: source.fileName },
          details: { sourceId },
        });
        await this.removal.removeIn(tx, source);
        await tx.batch([clearReview(organizationId, to), ...entry]);
        return source;
      },
      { whileOnboarding: true },
    );
    const { uploadId, knowledgeId: _knowledge, ...source } = deleted;
    await this.uploads.discard(onboardingUploads, { organizationId, id: uploadId });
    return source;
  }

  async open(caller: OwnerPrincipal | ExecutionPrincipal, ref: SourceRef): Promise<ByteAnswer> {
    const { organizationId } = ref;
    const file =
      caller.kind === 'owner'
        ? (await this.reads.inOrganization(caller, organizationId, fileOfSource(ref)))[0]
        : await this.fileForExecution(caller, ref);
    if (!file) throw new ApiError(OnboardingErrors.sourceNotFound);
    const { fileName, sizeBytes, sha256 } = file;
    return {
      sizeBytes,
      sha256,
      fileName,
      mediaType: 'application/octet-stream',
      open: (range) => this.objects.open(keyOfSource(organizationId, file), range),
      damaged: () => damaged(file),
    };
  }

  private fileForExecution(execution: ExecutionPrincipal, ref: SourceRef): Promise<SourceFile | undefined> {
    return this.reads.listThrough(this.executions.access(execution), {
      statements: () => [fileOfSource(ref), mayReadSource(execution, ref)],
      result: ([[file], permissions]) => (permissions.length > 0 ? file : undefined),
    });
  }
}

/** Names the source; once the onboarding is completed, nobody can store it again. */
function damaged({ fileName, isCompleted }: SourceFile): ApiError {
  const remedy = isCompleted ? 'whoever runs the service can restore them from a backup.' : 'store the source again.';
  return new ApiError(OnboardingErrors.bytesDamaged, {
    message: `The stored bytes of “${fileName}” are damaged or gone: ${remedy}`,
    issues: [issueAt('sourceId', EdgeIssues.bytesDamaged)],
  });
}
