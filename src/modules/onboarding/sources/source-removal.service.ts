import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { KnowledgeMaterialService } from '../../knowledge/index.ts';
import { deleteSource, type HeldSource, onboardingUploads } from './sources.queries.ts';

/** Takes sources away, for those who delete or replace them. */
@Injectable()
export class SourceRemovalService {
  constructor(private readonly material: KnowledgeMaterialService) {}

  /** Removes a source with its passages, and notes its bytes, which go after the commit. */
  async removeIn(tx: Tx, { sourceId, uploadId, knowledgeId }: HeldSource): Promise<void> {
    const { organizationId } = tx;
    await this.material.removePassages(tx, knowledgeId);
    await tx.batch([
      deleteSource({ organizationId, sourceId }),
      ...onboardingUploads.release({ organizationId, id: uploadId }),
    ]);
  }
}
