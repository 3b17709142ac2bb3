import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { ActivityLogService } from '../activity/activity-log.service.ts';
import type { MemberDto, MemberListQuery, AddMemberDto } from './member.dto.ts';
import { addMember, memberOf, membersOf, otherMembers, removeMember } from './members.queries.ts';
import { lockOrganization } from '../organization-lock.ts';
import { MemberErrors } from '../organization.errors.ts';

/** Who owns an organization. Every change locks the organization first, so that two members cannot remove each other. */
@Injectable()
export class MembersService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLogService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: MemberListQuery): Promise<Page<MemberDto>> {
    return this.reads.listInOrganization(owner.subject, organizationId, membersOf(organizationId, query));
  }

  add(owner: OwnerPrincipal, organizationId: string, subject: string, { role }: AddMemberDto): Promise<MemberDto> {
    return this.transactions.inOrganization(owner.subject, organizationId, async (tx) => {
      await lockOrganization(tx);
      const added = await tx.rows(addMember(organizationId, { subject, role, addedBy: owner.subject }));
      if (added.length > 0) await this.record(tx, owner, 'member.added', subject);
      const [member] = await tx.rows(memberOf(organizationId, subject));
      return member!;
    });
  }

  remove(owner: OwnerPrincipal, organizationId: string, subject: string): Promise<MemberDto> {
    return this.transactions.inOrganization(owner.subject, organizationId, async (tx) => {
      await lockOrganization(tx);
      const [member] = await tx.rows(memberOf(organizationId, subject));
      if (!member) throw new ApiError(MemberErrors.notFound);
      const [others] = await tx.rows(otherMembers(organizationId, subject));
      if (!others?.exist) throw new ApiError(MemberErrors.last);
      await tx.rows(removeMember(organizationId, subject));
      await this.record(tx, owner, 'member.removed', subject);
      return member;
    });
  }

  private record(tx: Tx, actor: OwnerPrincipal, verb: string, subject: string): Promise<void> {
    return this.activity.record(tx, {
      actor,
      verb,
      subject: { kind: 'member', id: subject, label: subject },
    });
  }
}
