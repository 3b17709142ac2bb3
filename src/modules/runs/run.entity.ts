import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { isOneOf } from '../../kernel/sql/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import { RunRequest, type RunError, Task, TASK_PHASES } from '../tasks/index.ts';
import { ENDED_RUN_STATUSES, FIRST_RUN_STATUS, isLiveRun, LOG_STATES, RUN_STATUSES } from './run.state.ts';

export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  readonly costMinorUnits: number;
}

/**
 * One attempt under a lease. No index has the columns that heartbeats write (`leaseExpiresAt`, `heartbeatAt`,
 * `capabilityExpiresAt`), and the index of live runs is led by the key that calls by id use.
 */
const schema = defineEntity({
  name: 'Run',
  tableName: 'run',
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
    request: () =>
      p
        .manyToOne(RunRequest)
        .joinColumns('organization_id', 'run_request_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    runRequestId: p.uuid().persist(false),
    agentProfileId: p.uuid(),
    attempt: p.integer(),
    mode: p.enum(TASK_PHASES).columnType('text'),
    status: p.enum(RUN_STATUSES).columnType('text').default(FIRST_RUN_STATUS),
    taskVersion: p.integer(),
    /** The catalog revision that the profile had at the start: its manifest keeps it. */
    catalogRevision: p.text(),
    model: p.text(),
    harness: p.text().nullable(),
    workspaceUri: p.text().nullable(),
    workerId: p.text(),
    bootId: p.uuid().nullable(),
    /** SHA-256 of the lease token, which fences the run until a day after its end. */
    leaseTokenHash: p.blob().columnType('bytea'),
    leaseExpiresAt: timestamp(),
    heartbeatAt: timestamp().defaultRaw('clock_timestamp()'),
    /** When the newest execution capability expires. */
    capabilityExpiresAt: timestamp(),
    /** A copy of the request's, so that a heartbeat touches one row. */
    cancelRequestedAt: timestamp().nullable(),
    output: p.json<object>().nullable(),
    error: p.json<RunError>().nullable(),
    usage: p.json<RunUsage>().defaultRaw(`'{"inputTokens":0,"outputTokens":0,"toolCalls":0,"costMinorUnits":0}'`),
    receipts: p.json<object[]>().defaultRaw(`'[]'`),
    /** How far its log goes without a gap, and to which sequence; 0 without entries. */
    logThrough: p.integer().default(0),
    logLast: p.integer().default(0),
    logState: p.enum(LOG_STATES).columnType('text').nullable(),
    /** SHA-256 of the final call's canonical body, and its answer for repeats. */
    finalDigest: p.text().nullable(),
    finalAnswer: p.json<object>().nullable(),
    startedAt: timestamp().defaultRaw('clock_timestamp()'),
    finishedAt: timestamp().nullable(),
    ...timestamps,
  },
  uniques: [
    {
      name: 'run_live_of_request',
      properties: ['organization', 'request'],
      where: isLiveRun('status'),
    },
  ],
  indexes: [
    {
      name: 'run_live',
      expression: `create index run_live on run (organization_id, id) include (agent_profile_id) where ${isLiveRun('status')}`,
    },
    // Ids are the workers' own, so lists go by time.
    {
      name: 'run_by_time',
      expression: `create index run_by_time on run (organization_id, created_at, id) where created_at < 'infinity'`,
    },
    // What lists filter by, in their order; written once, when a run ends.
    {
      name: 'run_ended',
      expression: `create index run_ended on run (organization_id, status, created_at, id) where ${isOneOf('status', ENDED_RUN_STATUSES)} and created_at > '-infinity'`,
    },
    {
      name: 'run_ended_of_profile',
      expression: `create index run_ended_of_profile on run (organization_id, agent_profile_id, status, created_at, id) where ${isOneOf('status', ENDED_RUN_STATUSES)}`,
    },
    // A request goes when it has no run any more.
    { name: 'run_of_request', properties: ['organization', 'request'] },
    { name: 'run_by_task', properties: ['organization', 'task', 'createdAt', 'id'] },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Run extends schema.class {}
schema.setClass(Run);
