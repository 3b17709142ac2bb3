import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Admission } from '../../../kernel/admission/index.ts';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { ObjectStore, type StoredBytes } from '../../../kernel/storage/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { type Upload, Uploads } from '../../../kernel/uploads/index.ts';
import { type SuccessiveAction, SuccessiveProposalsService } from '../../actions/index.ts';
import { refused } from '../../gateway/index.ts';
import { IntegrationIssues } from '../../integrations/index.ts';
import type { GitAccess } from '../access/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { GIT_TOOLS, PACK_BYTES, VERIFYING } from '../git-proxy.policy.ts';
import { branchOf, NO_OBJECT, type RefCommand } from '../protocol/index.ts';
import { fullNameOf } from '../repository-name.ts';
import { PushVerification } from '../verification/index.ts';
import { insertGitPush, type PushArguments, pushUploads, sameBranch } from './git-pushes.queries.ts';
import { PushPreviewsService } from './push-previews.service.ts';

/** A push of one branch, with its pack still to come. */
export interface PushToStage {
  readonly access: GitAccess;
  readonly command: RefCommand;
  readonly shallow: readonly string[];
  readonly pack: Readable;
}

const LONGEST_TITLE = 200;
const LIMITS = { maxBytes: PACK_BYTES, tooLarge: GitErrors.packTooLarge };

/**
 * Makes pushes actions. The pack is stored as it comes, is looked at from there, and is kept from the transaction on that
 * proposes the push; whatever comes in between, nothing of it stays.
 */
@Injectable()
export class PushStagingService {
  private readonly verifying = new Admission(VERIFYING);

  constructor(
    private readonly transactions: Transactions,
    private readonly uploads: Uploads,
    private readonly objects: ObjectStore,
    private readonly previews: PushPreviewsService,
    private readonly proposals: SuccessiveProposalsService,
  ) {}

  /** Throws `RefusedPush`, and `ApiError` for what else refuses it. */
  async stage(push: PushToStage): Promise<SuccessiveAction> {
    const { organizationId } = push.access.gateway.execution;
    const upload = { organizationId, id: newId() };
    const access = activeAccess(organizationId, EdgeErrors.stateConflict, 'ordinary');
    await this.transactions.batch(access, [pushUploads.begin(upload)]);
    return this.uploads.store(pushUploads, upload, { bytes: push.pack, limits: LIMITS }, async (stored) => {
      const preview = await this.verified(push, upload);
      const kept = await this.propose(push, upload, stored, preview);
      return { kept, isNew: kept.kind === 'proposed' };
    });
  }

  /** The preview of a push that is what it should be. */
  private async verified({ access, command }: PushToStage, upload: Upload): Promise<string> {
    await this.verifying.enter(upload.organizationId);
    try {
      const verification = await PushVerification.begin(command, PACK_BYTES);
      try {
        const opened = await this.objects.open(pushUploads.objectKeyOf(upload));
        // The sweep gave the bytes up before this request got here.
        if (!opened) throw new ApiError(EdgeErrors.requestTimeout);
        for await (const piece of opened.stream as AsyncIterable<Buffer>) await verification.write(piece);
        return await this.previews.of(access, command, await verification.finish());
      } finally {
        await verification.end();
      }
    } finally {
      this.verifying.leave(upload.organizationId);
    }
  }

  private propose(
    { access, command, shallow }: PushToStage,
    upload: Upload,
    { sha256: packSha256, sizeBytes: packBytes }: StoredBytes,
    preview: string,
  ): Promise<SuccessiveAction> {
    const { execution } = access.gateway;
    const { row } = access.use;
    const { organizationId } = upload;
    const repository = fullNameOf(access.name);
    const push: PushArguments = { repository, ...command, shallow, packSha256, packBytes };
    return this.proposals.propose(execution, {
      id: upload.id,
      kind: 'git_push',
      connectorKey: row.key,
      integrationId: row.id,
      toolName: GIT_TOOLS['git-receive-pack'],
      arguments: { ...push },
      title: cut(`Push ${branchOf(command.ref)} of ${repository}`),
      summary: summaryOf(push),
      preview,
      dedupeKey: keyOf(push),
      replaces: sameBranch(organizationId, push),
      superseded: 'A newer push to the branch takes its place.',
      keep: async (tx, action) => {
        // An owner may have changed what the capability stands for while the pack came.
        if (action.authorizationEpoch !== access.gateway.authorizationEpoch)
          throw refused(IntegrationIssues.staleEpoch);
        await this.keep(tx, upload, { ...push, organizationId, actionId: action.id, integrationId: row.id });
      },
    });
  }

  private async keep(tx: Tx, upload: Upload, push: Parameters<typeof insertGitPush>[0]): Promise<void> {
    const [ended] = await tx.rows(pushUploads.end(upload));
    if (!ended) throw new ApiError(EdgeErrors.requestTimeout);
    await tx.rows(insertGitPush(push));
  }
}

/** Of pushes that would do the same; packs of the same commits may differ. */
function keyOf({ repository, ref, oldOid, newOid }: PushArguments): string {
  return `git:${sha256(JSON.stringify([repository.toLowerCase(), ref, oldOid, newOid])).toString('hex')}`;
}

function summaryOf({ repository, ref, oldOid, newOid }: PushArguments): string {
  const move = oldOid === NO_OBJECT ? `Begins the branch at ${newOid}` : `Moves the branch from ${oldOid} to ${newOid}`;
  return `${move}: ${branchOf(ref)} of ${repository}.`;
}

function cut(text: string): string {
  return [...text].slice(0, LONGEST_TITLE).join('');
}
