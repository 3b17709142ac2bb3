import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import type { Statement } from '../../kernel/database/index.ts';
import type { ContextEntryDto } from './manifest/manifest-knowledge.dto.ts';

/** Finds what an organization knows about the work of an execution. */
export interface ContextFinder {
  /** Read in the manifest's own round trip: a row where there is something to find at all. */
  isWorthwhile(organizationId: string): Statement;
  /** Bounded in number, size and time; none where that is not enough. */
  find(execution: ExecutionPrincipal, sought: string): Promise<ContextEntryDto[]>;
}

/** Port: declared here, implemented by the module that keeps what an organization knows. */
export class ManifestContext {
  private finder: ContextFinder | undefined;

  register(finder: ContextFinder): void {
    if (this.finder) throw new Error('Two modules find context for manifests.');
    this.finder = finder;
  }

  statements(organizationId: string): Statement[] {
    return this.finder ? [this.finder.isWorthwhile(organizationId)] : [];
  }

  async find(execution: ExecutionPrincipal, sought: string): Promise<ContextEntryDto[]> {
    return (await this.finder?.find(execution, sought)) ?? [];
  }
}
