import { describe, expect, it } from '@jest/globals';
import { type Source, sourcesOfModules } from './sources.ts';

/**
 * Who writes which table, by `module/folder`. A module writes its own tables; where another module is named, it moves the
 * row in a statement of its own so that the call stays one round trip, or under one lock.
 */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  action: ['actions', 'actions/decision', 'actions/execution', 'actions/proposal', 'actions/reconciliation'],
  action_receipt: ['actions/proposal'],
  activity: ['organizations/activity'],
  activity_cluster: ['organizations/events'],
  activity_subscription: ['organizations/activity'],
  agent_profile: ['agent-profiles', 'agent-profiles/catalogs', 'tasks/lifecycle'],
  attachment: ['chats/attachments'],
  attachment_upload: ['chats/attachments'],
  catalog_revision: ['agent-profiles/catalogs'],
  chat: ['chats', 'chats/messages', 'chats/purge', 'chats/turns'],
  discovery: ['discovery'],
  discovery_intention: ['discovery'],
  durability_row: ['durability'],
  fx_rate: ['insights/rates'],
  git_push: ['git-proxy/push'],
  git_push_upload: ['git-proxy/push'],
  inbox_item: ['inbox'],
  insight_state: ['insights'],
  integration: [
    'integrations/catalog',
    'integrations/changes',
    'integrations/grants',
    'integrations/registry',
    'integrations/tools',
  ],
  integration_call: ['gateway/calls'],
  integration_credential: ['integrations/credentials', 'oauth/refresh'],
  integration_grant: ['integrations/catalog', 'integrations/grants'],
  integration_inventory: ['integrations/tools'],
  integration_preferences: ['integrations/catalog', 'integrations/preferences'],
  knowledge: ['knowledge'],
  knowledge_passage: ['knowledge'],
  learning_refresh: ['learning'],
  lesson: ['learning'],
  membership: ['organizations/members'],
  message: ['chats/messages', 'chats/turns'],
  message_chunk: ['chats/turns'],
  metric_block: ['insights/publication', 'insights/retention'],
  metric_collection: ['insights/collection', 'insights/retention'],
  metric_coverage: ['insights/publication', 'insights/retention'],
  metric_definition: ['insights', 'insights/collection'],
  metric_publication: ['insights/publication', 'insights/retention'],
  metric_read: ['insights/collection'],
  metric_receipt: ['insights/receipts', 'insights/retention'],
  metric_restatement: ['insights/publication', 'insights/retention'],
  metric_series: ['insights/publication'],
  metric_source: ['insights/collection', 'insights/sources'],
  metric_staged: ['insights/collection', 'insights/retention'],
  oauth_client: ['oauth/mcp'],
  oauth_state: ['oauth/states'],
  onboarding: ['onboarding', 'onboarding/review'],
  onboarding_source: ['onboarding/review', 'onboarding/sources'],
  onboarding_upload: ['onboarding/sources'],
  organization: ['organizations', 'organizations/purge'],
  organization_capacity: ['organizations', 'runs/leases'],
  organization_dispatch: ['runs/claims', 'tasks/run-requests'],
  organization_icon: ['organizations/icon'],
  organization_slug: ['organizations'],
  owner_token: ['organizations/owner-tokens'],
  profile_capacity: ['agent-profiles', 'runs/leases'],
  profile_dispatch: ['runs/claims', 'tasks/run-requests'],
  profile_memory: ['learning'],
  revoked_lesson: ['learning'],
  run: ['runs/attempts', 'runs/completion', 'runs/leases', 'runs/logs'],
  run_artifact: ['runs/artifacts'],
  run_log: ['runs/logs', 'runs/retention'],
  run_outcome: ['runs/outcomes'],
  run_request: [
    'executions/workers',
    'runs/attempts',
    'runs/claims',
    'runs/completion',
    'runs/leases',
    'tasks/graph',
    'tasks/lifecycle',
    'tasks/plans',
    'tasks/run-requests',
  ],
  schedule: ['schedules', 'schedules/firing'],
  schedule_occurrence: ['schedules/firing'],
  task: [
    'runs/attempts',
    'runs/completion',
    'runs/leases',
    'runs/outcomes',
    'tasks/creation',
    'tasks/graph',
    'tasks/lifecycle',
    'tasks/plans',
  ],
  task_dependency: ['tasks/dependencies', 'tasks/graph', 'tasks/lifecycle', 'tasks/plans'],
  task_identifier: ['tasks/creation'],
  webhook: ['webhooks', 'webhooks/deliveries'],
  webhook_delivery: ['webhooks', 'webhooks/deliveries'],
  webhook_secret: ['webhooks'],
};

/** Where one statement takes its table from a list: what goes with a deleted chat, with an organization, and with a run. */
const BY_LIST = ['chats/purge', 'organizations/purge', 'runs/retention'];

const sources = sourcesOfModules();
const tables = tablesOf(sources);

describe('the writers of tables', () => {
  it('are these: let the owner write, or say here which module does it too', () => {
    const written = new Map<string, Set<string>>();
    for (const source of sources)
      for (const table of writtenIn(source)) written.set(table, (written.get(table) ?? new Set()).add(source.place));
    const listed = [...written].map(([table, places]) => [table, [...places].sort()]);
    expect(Object.fromEntries(listed)).toEqual(WRITERS);
  });

  it('name the table, but for removals by list', () => {
    const byName = /\b(insert into|update|delete from)\s+\$\{/;
    const places = sources.filter(({ text }) => byName.test(text)).map(({ place }) => place);
    expect(places).toEqual(BY_LIST);
  });

  it('leave no table of the modules out', () => {
    expect([...tables.values()].sort()).toEqual(Object.keys(WRITERS).sort());
  });
});

/** Tables by the name of their entity. */
function tablesOf(files: readonly Source[]): Map<string, string> {
  return new Map(
    files.flatMap(({ text }) => {
      const [, entity, table] = /name: '(\w+)',\s+tableName: '(\w+)'/.exec(text) ?? [];
      return entity !== undefined && table !== undefined ? [[entity, table] as const] : [];
    }),
  );
}

/** Tables that a file writes, by statements or through entities. */
function writtenIn({ text }: Source): string[] {
  const known = new Set(tables.values());
  const byStatement = [...text.matchAll(/\b(?:insert into|update(?: only)?|delete from)\s+(\w+)\b/g)]
    .map(([, table]) => table!)
    .filter((table) => known.has(table));
  // The statements of uploads are the kernel's; the module says which table they write.
  const byNotes = [...text.matchAll(/\bnew UploadNotes\S*\(\{\s*table: '(\w+)'/g)].map(([, table]) => table);
  // An entity that is found in a write transaction is found to be changed.
  const byEntity = [...text.matchAll(/\.em\.(?:create|native\w+|insert\w*|upsert\w*|find\w*)\(\s*(\w+)/g)].map(
    ([, entity]) => tables.get(entity!),
  );
  return [...new Set([...byStatement, ...[...byNotes, ...byEntity].filter((table) => table !== undefined)])];
}
