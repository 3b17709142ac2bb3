import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import type { Statement } from '../../kernel/database/index.ts';
import type { CheckpointKeyDto } from './manifest/manifest.dto.ts';
import type { ManifestIntegrationDto } from './manifest/manifest-connector.dto.ts';
import type { ManifestLearningDto, ManifestMemoryDto } from './manifest/manifest-knowledge.dto.ts';

/** What modules above this one put into a manifest. */
export interface ManifestExtras {
  readonly checkpoints?: CheckpointKeyDto[];
  readonly memory?: ManifestMemoryDto | null;
  readonly learning?: ManifestLearningDto;
  readonly integrations?: ManifestIntegrationDto[];
}

/** One contribution to the manifest: a statement that is read in the manifest's own round trip, and what its rows mean. */
export interface ManifestPart {
  statement(execution: ExecutionPrincipal): Statement;
  /** Bounded: a manifest has at most 1 MiB. */
  extras(rows: readonly unknown[]): ManifestExtras;
}

/** Port: declared here, implemented by the modules that keep something for executions. */
export class ManifestParts {
  private readonly parts: ManifestPart[] = [];

  register(part: ManifestPart): void {
    this.parts.push(part);
  }

  statements(execution: ExecutionPrincipal): Statement[] {
    return this.parts.map((part) => part.statement(execution));
  }

  /** `sets` are the rows of `statements`, in the same order. */
  extras(sets: readonly (readonly unknown[])[]): ManifestExtras {
    return Object.assign({}, ...this.parts.map((part, index) => part.extras(sets[index] ?? []))) as ManifestExtras;
  }
}
