import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { isOneOf } from '../../../kernel/sql/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import {
  ENDED_RUN_REQUEST_STATUSES,
  EXECUTION_CLASSES,
  isOpenRequest,
  type LastError,
  RUN_REQUEST_STATUSES,
} from './run-request.state.ts';
import { Task } from '../task.entity.ts';
import { TASK_PHASES } from '../task.state.ts';

/**
 * Queued work. The first index holds a queue for each profile in the exact order of claims. Requests that are not due
 * yet stay out of it (`ready`), since rows in backoff would clog its head.
 */
const schema = defineEntity({
  name: 'RunRequest',
  tableName: 'run_request',
  properties: {
    ...organizationOwned,
    task: () =>
      p
        .manyToOne(Task)
        .joinColumns('organization_id', 'task_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    taskId: p.uuid().persist(false),
    agentProfileId: p.uuid(),
    mode: p.enum(TASK_PHASES).columnType('text'),
    status: p.enum(RUN_REQUEST_STATUSES).columnType('text').default('queued'),
    executionClass: p.enum(EXECUTION_CLASSES).columnType('text'),
    priority: p.integer(),
    dedupeKey: p.text(),
    taskVersion: p.integer(),
    taskGraphRevision: p.integer(),
    /** Whether `availableAt` has passed, as a tick of at most a second sets it. */
    ready: p.boolean(),
    availableAt: timestamp(),
    claimedAt: timestamp().nullable(),
    claimExpiresAt: timestamp().nullable(),
    /** SHA-256 of the lease token. */
    claimTokenHash: p.blob().columnType('bytea').nullable(),
    /** Of the claim before, which was lost: its holder learns what became of it. */
    formerTokenHash: p.blob().columnType('bytea').nullable(),
    workerId: p.text().nullable(),
    bootId: p.uuid().nullable(),
    /** Set by the worker: a repeat of its claim gets the same items again. */
    claimRequestKey: p.text().nullable(),
    cancelRequestedAt: timestamp().nullable(),
    requeueOnCancel: p.boolean().default(false),
    attemptCount: p.integer().default(0),
    maxAttempts: p.integer(),
    releaseCount: p.integer().default(0),
    /** Releases in a row, as long as `releasedAttempt` is the present `attemptCount`: a start ends the row. */
    releaseStreak: p.integer().default(0),
    releasedAttempt: p.integer().nullable(),
    /** Claims in a row that lapsed. */
    lapseCount: p.integer().default(0),
    lastRunId: p.uuid().nullable(),
    lastError: p.json<LastError>().nullable(),
    ...timestamps,
  },
  uniques: [
    {
      name: 'run_request_open',
      properties: ['organization', 'task'],
      where: isOpenRequest('status'),
    },
  ],
  indexes: [
    {
      name: 'run_request_queues',
      expression: `create index run_request_queues on run_request (organization_id, agent_profile_id, priority desc, execution_class desc, available_at, id) where status = 'queued' and ready`,
    },
    {
      name: 'run_request_coming_due',
      expression: `create index run_request_coming_due on run_request (available_at) where status = 'queued' and not ready`,
    },
    {
      name: 'run_request_claimed',
      expression: `create index run_request_claimed on run_request (worker_id, claim_request_key) where status = 'claimed'`,
    },
    // What claims count, since each may become a live run.
    {
      name: 'run_request_handed_out',
      expression: `create index run_request_handed_out on run_request (organization_id, agent_profile_id) where status = 'claimed'`,
    },
    { name: 'run_request_by_task', properties: ['organization', 'task', 'id'] },
    // What lists filter by, in their order.
    {
      name: 'run_request_by_status',
      expression: `create index run_request_by_status on run_request (organization_id, status, created_at, id) where created_at > '-infinity'`,
    },
    {
      name: 'run_request_ended_of_profile',
      expression: `create index run_request_ended_of_profile on run_request (organization_id, agent_profile_id, status, created_at, id) where ${isOneOf('status', ENDED_RUN_REQUEST_STATUSES)}`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class RunRequest extends schema.class {}
schema.setClass(RunRequest);
