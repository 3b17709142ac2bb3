import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import {
  columns,
  Reads,
  type Statement,
  statement,
  Transactions,
  type Tx,
  Values,
} from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { KeysetList, opaqueCursor, type Page } from '../../kernel/pagination/index.ts';
import { ActivityLog } from './activity-log.ts';
import type { MemberDto, MemberListQuery, PutMemberDto } from './member.dto.ts';
import { lockOrganization } from './organization-lock.ts';

const select = columns<MemberDto>({
  subject: 'm.subject',
  role: 'm.role',
  addedBy: 'm.added_by',
  createdAt: 'm.created_at',
});

/** Who owns an organization. Every change locks the organization first, so that two members cannot remove each other. */
@Injectable()
export class MembersService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLog,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: MemberListQuery): Promise<Page<MemberDto>> {
    const values = new Values();
    const list = new KeysetList<MemberDto>(
      {
        select,
        from: 'membership m',
        where: [`m.organization_id = ${values.add(organizationId)}`],
        values,
        sortBy: [
          { sql: 'm.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt },
          { sql: 'm.subject collate "C"', type: 'text', of: ({ subject }) => subject },
        ],
        cursor: opaqueCursor('members', [organizationId, query.order]),
      },
      query,
    );
    return this.reads.listInOrganization(owner.subject, organizationId, list);
  }

  put(owner: OwnerPrincipal, organizationId: string, subject: string, { role }: PutMemberDto): Promise<MemberDto> {
    return this.transactions.inOrganization(owner.subject, organizationId, async (tx) => {
      await lockOrganization(tx, organizationId);
      const added = await tx.rows(
        statement(
          `insert into membership (organization_id, subject, role, added_by) values ($1, $2, $3, $4)
           on conflict (organization_id, subject) do nothing returning 1`,
          organizationId,
          subject,
          role,
          owner.subject,
        ),
      );
      if (added.length > 0) await this.record(tx, owner, organizationId, 'member.added', subject);
      const [member] = await tx.rows(memberOf(organizationId, subject));
      return member!;
    });
  }

  remove(owner: OwnerPrincipal, organizationId: string, subject: string): Promise<MemberDto> {
    return this.transactions.inOrganization(owner.subject, organizationId, async (tx) => {
      await lockOrganization(tx, organizationId);
      const [member] = await tx.rows(memberOf(organizationId, subject));
      if (!member) throw new ApiError(EdgeErrors.notFound, { message: 'There is no such member.' });
      const [others] = await tx.rows<{ exist: boolean }>(
        statement(
          `select exists (select from membership where organization_id = $1 and subject <> $2) as exist`,
          organizationId,
          subject,
        ),
      );
      if (!others?.exist)
        throw new ApiError(EdgeErrors.stateConflict, { message: 'The last member cannot be removed.' });
      await tx.rows(
        statement(`delete from membership where organization_id = $1 and subject = $2`, organizationId, subject),
      );
      await this.record(tx, owner, organizationId, 'member.removed', subject);
      return member;
    });
  }

  private record(tx: Tx, actor: OwnerPrincipal, organizationId: string, verb: string, subject: string): Promise<void> {
    return this.activity.record(tx, {
      organizationId,
      actor,
      verb,
      subject: { kind: 'member', id: subject, label: subject },
    });
  }
}

function memberOf(organizationId: string, subject: string): Statement<MemberDto> {
  return statement(
    `select ${select} from membership m where m.organization_id = $1 and m.subject = $2`,
    organizationId,
    subject,
  );
}
