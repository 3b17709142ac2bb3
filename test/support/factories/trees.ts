import { newId } from '../../../src/kernel/ids/index.ts';
import { Transactions } from '../../../src/kernel/database/index.ts';
import { activeAccess } from '../../../src/kernel/tenancy/index.ts';
import { EdgeErrors } from '../../../src/kernel/errors/index.ts';
import { RunRequestQueueService } from '../../../src/modules/tasks/index.ts';
import type { TestApp } from '../test-app.ts';

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
  const parents = descendantIds.map((_, place) =>
    place < children ? rootId : descendantIds[(place - children) % children]!,
  );
  await app.db.query(
    `insert into task (organization_id, id, identifier_scope, identifier_number, parent_id, root_task_id, depth, owner_agent_profile_id,
       status, phase, title, max_agent_runs, max_attempts_per_phase, max_replans, max_actions, spec, dedupe_key, scheduled_at)
     select $1, t.id, 'T', coalesce((select max(identifier_number) from task where organization_id = $1 and identifier_scope = 'T'), 0) + place,
       t.parent_id, $4, case when t.parent_id is null then 0 when t.parent_id = $4 then 1 else 2 end,
       (select p.id from agent_profile p where p.organization_id = $1 and p.key = $5 and p.deleted_at is null),
       'pending', 'execute', 'A task', 20, 3, 3, 20, '{"objective":"Do it","inputs":[],"acceptanceCriteria":[]}', t.id::text, ${scheduledAt}
     from unnest($2::uuid[], $3::uuid[]) with ordinality t(id, parent_id, place)`,
    [organizationId, ids, [null, ...parents], rootId, profile],
  );
  await app.app
    .get(Transactions)
    .through(activeAccess(organizationId, EdgeErrors.organizationNotFound), (tx) =>
      app.app.get(RunRequestQueueService).queue(tx, organizationId, ids),
    );
  return { organizationId, rootId, descendantIds };
}
