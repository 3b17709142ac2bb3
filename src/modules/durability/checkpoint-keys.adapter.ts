import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import type { Statement } from '../../kernel/database/index.ts';
import { checkpointsOf } from './durability.queries.ts';
import { type ManifestExtras, type ManifestPart, ManifestParts } from '../executions/index.ts';

/** Tells an execution which rows an earlier one left for it. */
@Injectable()
export class CheckpointKeys implements ManifestPart {
  constructor(manifest: ManifestParts) {
    manifest.register(this);
  }

  statement(execution: ExecutionPrincipal): Statement {
    return checkpointsOf(execution);
  }

  extras(rows: readonly unknown[]): ManifestExtras {
    return { checkpoints: rows as ManifestExtras['checkpoints'] };
  }
}
