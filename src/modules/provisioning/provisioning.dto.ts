import { Nested, NestedList } from '../../kernel/validation/index.ts';
import { AgentProfileDto } from '../agent-profiles/index.ts';
import { ChatDto } from '../chats/index.ts';
import { OrganizationDto } from '../organizations/index.ts';

export class CreatedOrganizationDto {
  @Nested(() => OrganizationDto)
  organization!: OrganizationDto;
  @NestedList(() => AgentProfileDto)
  agentProfiles!: AgentProfileDto[];
  @Nested(() => ChatDto, { description: 'The organization’s first chat' })
  chat!: ChatDto;
}
