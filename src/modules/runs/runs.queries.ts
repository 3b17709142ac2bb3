import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import { isOneOf } from '../../kernel/sql/index.ts';
import { atAnyTime, Filters, inOrder, KeysetList, opaqueCursor, type Walk } from '../../kernel/pagination/index.ts';
import type { RunListQuery } from './run.dto.ts';
import type { RunDetailRow, RunRow } from './run-row.ts';
import { ENDED_RUN_STATUSES, isLive, isLiveRun, RUN_STATUSES } from './run.state.ts';

/** Condition of runs that have not ended. */
export const LIVE = isLiveRun('r.status');

const shown: { readonly [Property in keyof RunRow]-?: string } = {
  id: 'r.id',
  taskId: 'r.task_id',
  runRequestId: 'r.run_request_id',
  profileId: 'p.id',
  profileKey: 'p.key',
  profileName: 'p.name',
  profileKind: 'p.kind',
  profileDepartment: 'p.department',
  profileStatus: 'p.status',
  attempt: 'r.attempt',
  mode: 'r.mode',
  status: 'r.status',
  model: 'r.model',
  workerId: 'r.worker_id',
  harness: 'r.harness',
  workspaceUri: 'r.workspace_uri',
  leaseExpiresAt: `case when ${LIVE} then r.lease_expires_at end`,
  output: 'r.output',
  error: 'r.error',
  usage: 'r.usage',
  startedAt: 'r.started_at',
  finishedAt: 'r.finished_at',
  createdAt: 'r.created_at',
  updatedAt: 'r.updated_at',
};

const select = columns<RunRow>(shown);

/** Profiles stay as rows when they are deleted. */
const PROFILE = 'join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id';

const ENDED = isOneOf('r.status', ENDED_RUN_STATUSES);

/** How runs of some statuses or of a profile are found: few are live; indexes hold ended runs in the order of lists. */
function runWalks({ status, taskId, agentProfileId }: RunListQuery): Walk[] | undefined {
  if (taskId !== undefined || (status === undefined && agentProfileId === undefined)) return undefined;
  const asked = [...new Set(status ?? RUN_STATUSES)];
  const ended = agentProfileId === undefined ? `${ENDED} and ${atAnyTime('r')}` : ENDED;
  return [
    { column: 'status', values: asked.filter(isLive), among: LIVE },
    { column: 'status', values: asked.filter((each) => !isLive(each)), among: ended },
  ];
}

/** Ids are the workers' own, so lists go by time. */
export function runsOf(organizationId: string, query: RunListQuery): KeysetList<RunRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('r.organization_id', organizationId)
    .oneOf('r.status', query.status)
    .equals('r.task_id', query.taskId)
    .equals('r.agent_profile_id', query.agentProfileId)
    .window('r', query);
  const walks = runWalks(query);
  return new KeysetList<RunRow>(
    {
      select,
      from: 'run r',
      join: PROFILE,
      where: walks || query.taskId !== undefined ? filters.where : [...filters.where, inOrder('r')],
      walks,
      wide: ['r.output', 'r.error'],
      sortBy: [
        { sql: 'r.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt },
        { sql: 'r.id', type: 'uuid', of: ({ id }) => id },
      ],
      cursor: opaqueCursor('runs', [organizationId, bound]),
    },
    query,
  );
}

export function runById(organizationId: string, id: string): Statement<RunDetailRow> {
  return sql`
    select ${select}, r.receipts from run r ${sql.raw(PROFILE)}
    where r.organization_id = ${organizationId} and r.id = ${id}`;
}
