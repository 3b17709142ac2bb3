import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { MemberRole } from '../../../kernel/principals/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { ActivityLogService } from '../activity/activity-log.service.ts';
import type { ActivityVerb } from '../activity/activity-verb.ts';
import type { MemberDto, MemberListQuery, SetMemberDto } from './member.dto.ts';
import { addMember, memberOf, membersOf, otherOwners, removeMember, setRole } from './members.queries.ts';
import { lockOrganization } from '../organization-lock.ts';
import { MemberErrors } from '../organization.errors.ts';

/** Who belongs to an organization. Every change locks the organization first, so that two owners cannot remove each other. */
@Injectable()
export class MembersService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLogService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: MemberListQuery): Promise<Page<MemberDto>> {
    return this.reads.listInOrganization(owner, organizationId, membersOf(organizationId, query));
  }

  /** Adds a member, or changes its role. */
  set(owner: OwnerPrincipal, organizationId: string, subject: string, { role }: SetMemberDto): Promise<MemberDto> {
    return this.transactions.inOrganization(owner, organizationId, async (tx) => {
      await lockOrganization(tx);
      const [before] = await tx.rows(memberOf(organizationId, subject));
      if (before?.role === role) return before;
      if (!before) await tx.rows(addMember(organizationId, { subject, role, addedBy: owner.subject }));
      else {
        await requireOtherOwner(tx, before);
        await tx.rows(setRole(organizationId, subject, role));
      }
      await this.record(tx, owner, before ? 'member.role_changed' : 'member.added', subject, { role });
      const [member] = await tx.rows(memberOf(organizationId, subject));
      return member!;
    });
  }

  remove(owner: OwnerPrincipal, organizationId: string, subject: string): Promise<MemberDto> {
    return this.transactions.inOrganization(owner, organizationId, async (tx) => {
      await lockOrganization(tx);
      const [member] = await tx.rows(memberOf(organizationId, subject));
      if (!member) throw new ApiError(MemberErrors.notFound);
      await requireOtherOwner(tx, member);
      await tx.rows(removeMember(organizationId, subject));
      await this.record(tx, owner, 'member.removed', subject);
      return member;
    });
  }

  private record(
    tx: Tx,
    actor: OwnerPrincipal,
    verb: ActivityVerb,
    subject: string,
    details?: { readonly role: MemberRole },
  ): Promise<void> {
    return this.activity.record(tx, {
      actor,
      verb,
      subject: { kind: 'member', id: subject, label: subject },
      ...(details ? { details } : {}),
    });
  }
}

/** Refuses to take the last owner away. */
async function requireOtherOwner(tx: Tx, { subject, role }: MemberDto): Promise<void> {
  if (role !== 'owner') return;
  const [others] = await tx.rows(otherOwners(tx.organizationId, subject));
  if (!others?.exist) throw new ApiError(MemberErrors.lastOwner);
}
