import type { Sql, Statement } from '../../../kernel/database/index.ts';
import { LimitsDto } from '../../organizations/index.ts';
import { ManifestDto } from './manifest.dto.ts';
/** What a kind of execution puts into its manifest beside that. */
export interface ManifestOfKind {
  /** What an execution is pinned to, for `pinnedProfile`. */
  readonly pin: (organizationId: string, executionId: string) => Sql;
  readonly statements: (organizationId: string, executionId: string) => Statement[];
  /** `sets` are the rows of `statements`, in the same order. */
  readonly own: (sets: readonly unknown[][], limits: LimitsDto) => Omit<ManifestDto, Common>;
}

/** What every manifest has. */
type Common =
  | 'kind'
  | 'executionId'
  | 'organization'
  | 'profile'
  | 'checkpoints'
  | 'integrations'
  | 'context'
  | 'memory'
  | 'learning';
