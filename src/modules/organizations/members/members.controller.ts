import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { MemberDto, MemberListQuery, MemberParams, AddMemberDto } from './member.dto.ts';
import { MembersService } from './members.service.ts';
import { OrganizationParams } from '../organization.dto.ts';
import { MemberErrors } from '../organization.errors.ts';

@ApiTags('organizations')
@Controller('organizations/:organizationId/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @Endpoint({ summary: 'List the members', auth: 'owner', returns: MemberDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: MemberListQuery,
  ): Promise<Page<MemberDto>> {
    return this.members.list(owner, organizationId, query);
  }

  @Put(':subject')
  @Endpoint({
    summary: 'Add a member',
    description:
      'Take the subject from the answer to `POST /owner-tokens` or from `GET /owner-tokens`; the service does not check that a token or login with this subject exists. Adding a member again changes nothing.',
    auth: 'owner',
    returns: MemberDto,
    message: 'Member added',
  })
  add(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, subject }: MemberParams,
    @Body() body: AddMemberDto,
  ): Promise<MemberDto> {
    return this.members.add(owner, organizationId, subject, body);
  }

  @Delete(':subject')
  @Endpoint({
    summary: 'Remove a member',
    description: 'The member loses access at once. The last member cannot be removed.',
    auth: 'owner',
    returns: MemberDto,
    message: 'Member removed',
    errors: [MemberErrors.notFound, MemberErrors.last],
  })
  remove(@Owner() owner: OwnerPrincipal, @Param() { organizationId, subject }: MemberParams): Promise<MemberDto> {
    return this.members.remove(owner, organizationId, subject);
  }
}
