import { newId } from '../../../src/kernel/ids/index.ts';
import type { TestApp } from '../test-app.ts';
import { insertPending } from './work.ts';

export interface SeededTree {
  readonly organizationId: string;
  readonly rootId: string;
  /** Without the root. */
  readonly descendantIds: readonly string[];
}

interface TreeOptions {
  /** Descendants. */
  readonly size: number;
  /** How many of them are children of the root; the others are theirs, evenly. All, unless said. */
  readonly children?: number;
  /** Key of the profile that owns all of it. */
  readonly profile?: string;
  /** SQL; far ahead, so that no claim takes them, unless said. */
  readonly scheduledAt?: string;
}

/** A tree of pending tasks with a queued request each, straight in the tables: by calls 10,000 take a minute. */
export async function seedTree(
  app: TestApp,
  organizationId: string,
  { size, children = size, profile = 'growth', scheduledAt = `clock_timestamp() + interval '30 days'` }: TreeOptions,
): Promise<SeededTree> {
  const ids = Array.from({ length: size + 1 }, newId);
  const [rootId, ...descendantIds] = ids as [string, ...string[]];
  const root = { id: rootId, parentId: null, rootId, depth: 0 };
  const descendants = descendantIds.map((id, place) => {
    const parentId = place < children ? rootId : descendantIds[(place - children) % children]!;
    return { id, parentId, rootId, depth: parentId === rootId ? 1 : 2 };
  });
  await insertPending(app, organizationId, [root, ...descendants], { profile, scheduledAt });
  return { organizationId, rootId, descendantIds };
}
