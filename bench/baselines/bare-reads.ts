/** Lists of 50 rows and a single read in their simplest form: named statements, rows as `pg` parses them. */
const TASK_COLUMNS = `id, organization_id, identifier_scope, identifier_number, parent_id, root_task_id, depth, owner_agent_profile_id,
  kind, status, phase, title, priority, version, spec, blockers, result, started_at, completed_at, created_at, updated_at`;

/** Of the organization `$1`; messages are those of its chat `$2`. */
export const LISTS = {
  tasks: `select ${TASK_COLUMNS} from task where organization_id = $1 order by id desc limit 50`,
  runs: `select id, organization_id, task_id, run_request_id, agent_profile_id, attempt, mode, status, model, worker_id, harness, workspace_uri,
    lease_expires_at, output, error, usage, started_at, finished_at, created_at, updated_at
    from run where organization_id = $1 and created_at < 'infinity' order by created_at desc, id desc limit 50`,
  'run-requests': `select id, organization_id, task_id, agent_profile_id, mode, status, execution_class, priority, dedupe_key, task_version,
    task_graph_revision, available_at, claimed_at, cancel_requested_at, attempt_count, max_attempts, release_count, last_run_id, last_error,
    created_at, updated_at
    from run_request where organization_id = $1 order by id desc limit 50`,
  'agent-profiles': `select id, organization_id, key, name, kind, department, status, root_uri, instructions_uri, memory_root_uri, config,
    catalog_template_key, catalog_revision, catalog_update_policy, created_at, updated_at
    from agent_profile where organization_id = $1 and deleted_at is null order by id desc limit 50`,
  chats: `select id, organization_id, title, status, summary, harness_session_id, pinned_task_ids, last_message_at, archived_at,
    is_onboarding_chat, created_at, updated_at
    from chat where organization_id = $1 and deleted_at is null order by id desc limit 50`,
  messages: `select id, organization_id, chat_id, reply_to_message_id, role, status, revision, author, parts, error, completed_at,
    created_at, updated_at
    from message where organization_id = $1 and chat_id = $2 order by created_at desc, id desc limit 50`,
} as const;

export type ListName = keyof typeof LISTS;
export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[];

export const singleTask = `select ${TASK_COLUMNS} from task where organization_id = $1 and id = $2`;
