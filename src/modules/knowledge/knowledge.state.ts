/** Who may read a record; beside that, every connector that it requires must be usable by the reader. */
export const VISIBILITIES = ['organization', 'department', 'restricted'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** What an execution found out, or material that owners brought in. */
export const ORIGINS = ['execution', 'material'] as const;
export type Origin = (typeof ORIGINS)[number];

/** How keys of material begin, and no key that an execution gives: it would take the material's place. */
export const MATERIAL_KEYS = 'material-';

export function materialKeyOf(sourceId: string): string {
  return MATERIAL_KEYS + sourceId;
}

export function isMaterialKey(key: string): boolean {
  return key.startsWith(MATERIAL_KEYS);
}

/** Computed at each read; the first that holds, `current` where none does. */
export const FRESHNESS = ['revoked', 'superseded', 'expired', 'source_changed', 'current'] as const;
export type Freshness = (typeof FRESHNESS)[number];

export interface SourceVersion {
  readonly source: string;
  readonly version: string;
  readonly connectorKey?: string;
}

/** Bytes that a run delivered, or a source that owners brought in. */
export interface KeptEvidence {
  readonly runId: string | null;
  readonly path: string;
  readonly sha256: string;
  /** Of material. */
  readonly sourceId?: string;
}

export interface Revoker {
  readonly kind: 'owner';
  readonly id: string;
  readonly name: string;
}
