import { Nested, NestedList, OpenObject } from '../../kernel/validation/index.ts';
import { AgentProfileDto } from '../agent-profiles/index.ts';
import { OrganizationDto } from '../organizations/index.ts';

export class CreatedOrganizationDto {
  @Nested(() => OrganizationDto)
  organization!: OrganizationDto;
  @NestedList(() => AgentProfileDto)
  agentProfiles!: AgentProfileDto[];
  @OpenObject({
    nullable: true,
    example: null,
    description: 'The organization’s first chat; null: this version has no chats yet',
  })
  chat!: null;
}
