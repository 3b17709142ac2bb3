import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { isHandedOut, isOpenRequest, isTask } from '../../tasks/index.ts';
import { LIVE } from '../runs.queries.ts';
import { unmetAsArray } from '../run-start.policy.ts';
import type { WhyFacts } from './why.ts';

const live = (condition = '') =>
  `(select count(*)::int from run r where r.organization_id = t.organization_id and ${LIVE}${condition})`;
const claimed = (condition = '') =>
  `(select count(*)::int from run_request g
    where g.organization_id = t.organization_id and ${isHandedOut('g')}${condition})`;

const select = columns<WhyFacts>({
  taskId: 't.id',
  status: 't.status',
  blockers: 't.blockers',
  result: 't.result',
  updatedAt: 't.updated_at',
  completedAt: 't.completed_at',
  scheduledAt: 't.scheduled_at',
  prerequisites: `coalesce((select jsonb_object_agg(d.id, jsonb_build_object(
    'identifier', d.identifier_scope || '-' || d.identifier_number, 'title', d.title, 'status', d.status,
    'isChild', d.parent_id is not distinct from t.id))
    from task d where d.organization_id = t.organization_id
      and d.id in (select (b->>'dependsOnTaskId')::uuid from jsonb_array_elements(t.blockers) b)), '{}')`,
  runId: 'r.id',
  attempt: 'r.attempt',
  runStartedAt: 'r.started_at',
  leaseExpiresAt: 'r.lease_expires_at',
  cancelRequested: 'r.cancel_requested_at is not null',
  requestId: 'q.id',
  requestStatus: 'q.status',
  requestedAt: 'q.created_at',
  availableAt: 'q.available_at',
  claimedAt: 'q.claimed_at',
  claimExpiresAt: 'q.claim_expires_at',
  due: 'coalesce(q.available_at <= clock_timestamp(), false)',
  releases: 'case when q.released_attempt = q.attempt_count then q.release_streak else 0 end',
  lastError: 'q.last_error',
  profileId: 'p.id',
  profileKey: 'p.key',
  unmet: unmetAsArray(),
  organizationLive: live(),
  organizationClaimed: claimed(),
  organizationLimit: 'oc.max_live_runs',
  profileLive: live(' and r.agent_profile_id = p.id'),
  profileClaimed: claimed(' and g.agent_profile_id = p.id'),
  profileLimit: 'pc.max_live_runs',
});

/** The facts about a task, by a validated reference; live runs and claims are counted as claims count them. */
export function whyFacts(organizationId: string, ref: string): Statement<WhyFacts> {
  return sql`select ${select}
      from task t
      join organization o on o.id = t.organization_id
      join organization_capacity oc on oc.organization_id = t.organization_id
      join agent_profile p on p.organization_id = t.organization_id and p.id = t.owner_agent_profile_id
      join profile_capacity pc on pc.organization_id = t.organization_id and pc.agent_profile_id = p.id
      left join run_request q on q.organization_id = t.organization_id and q.task_id = t.id
        and ${sql.raw(isOpenRequest('q.status'))}
      left join run r on r.organization_id = t.organization_id and r.run_request_id = q.id and ${sql.raw(LIVE)}
      where t.organization_id = ${organizationId} and ${isTask(ref)}`;
}
