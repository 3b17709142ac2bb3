import { columns, sql, type Statement, statement } from '../../../kernel/database/index.ts';
import { KeysetList, opaqueCursor } from '../../../kernel/pagination/index.ts';
import type { MemberDto, MemberListQuery } from './member.dto.ts';

const select = columns<MemberDto>({
  subject: 'm.subject',
  role: 'm.role',
  addedBy: 'm.added_by',
  createdAt: 'm.created_at',
});

export function membersOf(organizationId: string, query: MemberListQuery): KeysetList<MemberDto> {
  return new KeysetList<MemberDto>(
    {
      select,
      from: 'membership m',
      where: [sql`m.organization_id = ${organizationId}`],
      sortBy: [
        { sql: 'm.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt },
        { sql: 'm.subject collate "C"', type: 'text', of: ({ subject }) => subject },
      ],
      cursor: opaqueCursor('members', [organizationId, query.order]),
    },
    query,
  );
}

export function memberOf(organizationId: string, subject: string): Statement<MemberDto> {
  return statement(
    `select ${select} from membership m where m.organization_id = $1 and m.subject = $2`,
    organizationId,
    subject,
  );
}

/** Answers a row when the member is new. */
export function addMember(organizationId: string, member: Omit<MemberDto, 'createdAt'>): Statement {
  return statement(
    `insert into membership (organization_id, subject, role, added_by) values ($1, $2, $3, $4)
     on conflict (organization_id, subject) do nothing returning 1`,
    organizationId,
    member.subject,
    member.role,
    member.addedBy,
  );
}
