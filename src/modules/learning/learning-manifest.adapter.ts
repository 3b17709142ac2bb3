import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import type { Statement } from '../../kernel/database/index.ts';
import { type ManifestExtras, type ManifestPart, ManifestParts } from '../executions/index.ts';
import { manifestLearning } from './learning-manifest.queries.ts';

/** Tells an execution what its profile has learned, and a run of a learning task what there is to learn from. */
@Injectable()
export class LearningManifest implements ManifestPart {
  constructor(manifest: ManifestParts) {
    manifest.register(this);
  }

  statement(execution: ExecutionPrincipal): Statement {
    return manifestLearning(execution);
  }

  extras([row]: readonly unknown[]): ManifestExtras {
    const { memory, learning } = row as Required<ManifestExtras>;
    return { memory, ...(learning ? { learning } : {}) };
  }
}
