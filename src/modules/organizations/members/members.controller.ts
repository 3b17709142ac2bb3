import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { MemberDto, MemberListQuery, MemberParams, SetMemberDto } from './member.dto.ts';
import { MembersService } from './members.service.ts';
import { OrganizationParams } from '../organization.dto.ts';
import { MemberErrors } from '../organization.errors.ts';

@ApiTags('organizations')
@Controller('organizations/:organizationId/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @Endpoint({ summary: 'List the members', auth: 'owner', scope: 'read', returns: MemberDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: MemberListQuery,
  ): Promise<Page<MemberDto>> {
    return this.members.list(owner, organizationId, query);
  }

  @Put(':subject')
  @Endpoint({
    summary: 'Add a member, or change its role',
    description:
      'Take the subject from the answer to `POST /owner-tokens` or from `GET /owner-tokens`; the service does not check that a token or login with this subject exists. Setting the role that a member has changes nothing. The last owner cannot become a viewer.',
    auth: 'owner',
    scope: 'settings',
    returns: MemberDto,
    message: 'Member set',
    errors: [MemberErrors.lastOwner],
  })
  set(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, subject }: MemberParams,
    @Body() body: SetMemberDto,
  ): Promise<MemberDto> {
    return this.members.set(owner, organizationId, subject, body);
  }

  @Delete(':subject')
  @Endpoint({
    summary: 'Remove a member',
    description: 'The member loses access at once. The last owner cannot be removed.',
    auth: 'owner',
    scope: 'settings',
    returns: MemberDto,
    message: 'Member removed',
    errors: [MemberErrors.notFound, MemberErrors.lastOwner],
  })
  remove(@Owner() owner: OwnerPrincipal, @Param() { organizationId, subject }: MemberParams): Promise<MemberDto> {
    return this.members.remove(owner, organizationId, subject);
  }
}
