/** Lists of 50 rows and a single read as anybody would write them first: named statements, rows as `pg` parses them. */
const TASK_COLUMNS = `id, organization_id, identifier_scope, identifier_number, parent_id, root_task_id, depth, owner_agent_profile_id,
  kind, status, phase, title, priority, version, spec, blockers, result, started_at, completed_at, created_at, updated_at`;

export const LISTS = {
  tasks: `select ${TASK_COLUMNS} from task where organization_id = $1 order by id desc limit 50`,
  runs: `select id, organization_id, task_id, run_request_id, agent_profile_id, attempt, mode, status, model, worker_id, harness, workspace_uri,
    lease_expires_at, output, error, usage, started_at, finished_at, created_at, updated_at
    from run where organization_id = $1 order by created_at desc, id desc limit 50`,
  'agent-profiles': `select id, organization_id, key, name, kind, department, status, root_uri, instructions_uri, memory_root_uri, config,
    catalog_template_key, catalog_revision, catalog_update_policy, created_at, updated_at
    from agent_profile where organization_id = $1 and deleted_at is null order by id desc limit 50`,
} as const;

export const singleTask = `select ${TASK_COLUMNS} from task where organization_id = $1 and id = $2`;
