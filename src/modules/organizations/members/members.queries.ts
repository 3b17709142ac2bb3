import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { KeysetList, opaqueCursor } from '../../../kernel/pagination/index.ts';
import type { MemberRole } from '../../../kernel/principals/index.ts';
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
  return sql`select ${select} from membership m where m.organization_id = ${organizationId} and m.subject = ${subject}`;
}

export function addMember(organizationId: string, { subject, role, addedBy }: Omit<MemberDto, 'createdAt'>): Statement {
  return sql`
    insert into membership (organization_id, subject, role, added_by)
    values (${organizationId}, ${subject}, ${role}, ${addedBy})`;
}

export function setRole(organizationId: string, subject: string, role: MemberRole): Statement {
  return sql`
    update membership set role = ${role} where organization_id = ${organizationId} and subject = ${subject}`;
}

/** Whether the organization has owners besides one. */
export function otherOwners(organizationId: string, subject: string): Statement<{ exist: boolean }> {
  return sql`
    select exists (
      select from membership
      where organization_id = ${organizationId} and role = 'owner' and subject <> ${subject}) as exist`;
}

export function removeMember(organizationId: string, subject: string): Statement {
  return sql`delete from membership where organization_id = ${organizationId} and subject = ${subject}`;
}
