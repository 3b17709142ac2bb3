import { columns } from '../../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../../kernel/pagination/index.ts';
import type { ActivityListQuery, ActivityRow } from './activity.dto.ts';

/** What every reader of the log sees of an entry. */
export const ENTRY = {
  id: 'a.id',
  at: 'a.at',
  actorKind: 'a.actor_kind',
  actorId: 'a.actor_id',
  actorName: 'a.actor_name',
  verb: 'a.verb',
  subjectKind: 'a.subject_kind',
  subjectId: 'a.subject_id',
  subjectLabel: 'a.subject_label',
} as const;

const select = columns<ActivityRow>({ ...ENTRY, details: 'a.details' });

/** An organization's activity, in the order of the primary key. */
export function activityOf(organizationId: string, query: ActivityListQuery): KeysetList<ActivityRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('a.organization_id', organizationId)
    .oneOf('a.actor_kind', query.actorKind)
    .oneOf('a.verb', query.verb)
    .equals('a.subject_kind', query.subjectKind)
    .equals('a.subject_id', query.subjectId)
    .between('a.at', query.createdAfter, query.createdBefore);
  return new KeysetList<ActivityRow>(
    {
      select,
      from: 'activity a',
      where: filters.where,
      wide: ['a.details'],
      sortBy: [
        { sql: 'a.at', type: 'timestamptz', of: ({ at }) => at },
        { sql: 'a.id', type: 'uuid', of: ({ id }) => id },
      ],
      cursor: opaqueCursor('activity', [organizationId, bound]),
    },
    query,
  );
}
