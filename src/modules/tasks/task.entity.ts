import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import { type Blocker, TASK_KINDS, TASK_PHASES, TASK_STATUSES, VERIFICATIONS } from './task.state.ts';
import type { TaskInputDto } from './task-input.dto.ts';

/** The purpose of a task; budget and verification are columns of their own, since moves decide by them. */
export interface TaskSpec {
  readonly objective: string;
  readonly inputs: readonly TaskInputDto[];
  readonly acceptanceCriteria: readonly { readonly kind: 'text'; readonly description: string }[];
}

const schema = defineEntity({
  name: 'Task',
  tableName: 'task',
  properties: {
    ...organizationOwned,
    identifierScope: p.text(),
    identifierNumber: p.integer(),
    // Deleting a parent deletes its tree: only the purge deletes, in batches that know no order of rows.
    parent: () =>
      p
        .manyToOne(Task)
        .nullable()
        .joinColumns('organization_id', 'parent_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('cascade'),
    parentId: p.uuid().nullable().persist(false),
    /** The task itself for a root. */
    rootTaskId: p.uuid(),
    depth: p.integer().default(0),
    ownerAgentProfileId: p.uuid(),
    sourceChatId: p.uuid().nullable(),
    sourceMessageId: p.uuid().nullable(),
    createdByRunId: p.uuid().nullable(),
    kind: p.enum(TASK_KINDS).columnType('text').default('task'),
    status: p.enum(TASK_STATUSES).columnType('text'),
    phase: p.enum(TASK_PHASES).columnType('text'),
    title: p.text(),
    priority: p.integer().default(0),
    version: p.integer().default(1),
    /** Of a root: rises with every structural change of its tree. */
    graphRevision: p.integer().default(1),
    /** Of a root: its number of descendants; unknown until the first creation below it counts them. */
    descendantCount: p.integer().nullable(),
    agentRunCount: p.integer().default(0),
    consumedAgentRunCount: p.integer().default(0),
    /** Accepted plans; `replanCount` of the API counts those after the first. */
    planCount: p.integer().default(0),
    /** Failed attempts of each phase since it was entered, or retried by an owner. */
    planFailures: p.integer().default(0),
    executeFailures: p.integer().default(0),
    verifyFailures: p.integer().default(0),
    /** Refunds of run credit in a row without another outcome in between. */
    refundStreak: p.integer().default(0),
    maxAgentRuns: p.integer(),
    maxAttemptsPerPhase: p.integer(),
    maxReplans: p.integer(),
    maxActions: p.integer(),
    verification: p.enum(VERIFICATIONS).columnType('text').default('none'),
    spec: p.json<TaskSpec>(),
    blockers: p.json<Blocker[]>().defaultRaw(`'[]'`),
    result: p.json<object>().nullable(),
    /** The result that awaits its verification. */
    unverifiedResult: p.json<object>().nullable(),
    dedupeKey: p.text(),
    /** It ended with dependents that its own transaction left to the sweep. */
    dependentsUnsettled: p.boolean().default(false),
    /** The liveness sweep gave it a new request; a second time it asks a person. */
    repairedAt: timestamp().nullable(),
    scheduledAt: timestamp().nullable(),
    dueAt: timestamp().nullable(),
    startedAt: timestamp().nullable(),
    completedAt: timestamp().nullable(),
    ...timestamps,
  },
  uniques: [
    { name: 'task_identifier_number', properties: ['organization', 'identifierScope', 'identifierNumber'] },
    {
      name: 'task_dedupe_key',
      properties: ['organization', 'dedupeKey'],
      where: "status in ('pending', 'running', 'blocked')",
    },
  ],
  indexes: [
    { name: 'task_tree', properties: ['organization', 'rootTaskId', 'id'] },
    {
      name: 'task_children',
      expression: 'create index task_children on task (organization_id, parent_id, id) where parent_id is not null',
    },
    // What lists filter by, in their order; of a status a task leaves, an entry stays until the next vacuum.
    {
      name: 'task_by_status',
      expression: `create index task_by_status on task (organization_id, status, created_at, id) where created_at > '-infinity'`,
    },
    {
      name: 'task_by_owner_status',
      properties: ['organization', 'ownerAgentProfileId', 'status', 'createdAt', 'id'],
    },
    ...[
      ['source_chat_id', 'source_chat_id is not null'],
      ['kind', `kind <> 'task'`],
      ['phase', `phase <> 'execute'`],
      ['priority', 'priority <> 0'],
    ].map(([column, unusual]) => ({
      name: `task_by_${column}`,
      expression: `create index task_by_${column} on task (organization_id, ${column}, created_at, id) where ${unusual}`,
    })),
    // What a profile learns from, in the order in which it ended.
    {
      name: 'task_ended_of_profile',
      expression: `create index task_ended_of_profile on task (organization_id, owner_agent_profile_id, completed_at, id) where completed_at is not null and kind <> 'learning'`,
    },
    // What the discovery looks for, across organizations.
    {
      name: 'task_open_discovery',
      expression: `create index task_open_discovery on task (organization_id, id) where kind = 'discovery' and status in ('pending', 'running', 'blocked')`,
    },
    // What the sweeps look for, across organizations.
    {
      name: 'task_dependents_unsettled',
      expression: 'create index task_dependents_unsettled on task (organization_id, id) where dependents_unsettled',
    },
    {
      name: 'task_open',
      expression: `create index task_open on task (updated_at, organization_id, id) where status in ('pending', 'running', 'blocked')`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Task extends schema.class {}
schema.setClass(Task);
