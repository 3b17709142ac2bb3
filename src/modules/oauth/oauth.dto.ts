import { Flag, OneOf, Text, TextList, Timestamp } from '../../kernel/validation/index.ts';
import { ACCESS_MODES, type AccessMode } from '../integrations/index.ts';
import { OAUTH } from './oauth.policy.ts';

const MODE = 'How much runs may do; that of before unless said';
const TOOLS = 'The tools that runs may use; those that the mode permits unless said';

export class StartMcpDto {
  @OneOf(ACCESS_MODES, { optional: true, example: 'read_only', description: MODE })
  accessMode?: AccessMode;
  @TextList({ optional: true, max: OAUTH.enabledTools, example: ['orders_list'], description: TOOLS })
  enabledTools?: string[];
}

export class StartWorkspaceDto extends StartMcpDto {
  @TextList({
    optional: true,
    max: 20,
    example: ['mail', 'calendar'],
    description: 'The services of the suite that are wanted; required, with `accessMode`, the first time',
  })
  services?: string[];
}

export class StartedAuthorizationDto {
  @Text({
    example: 'https://login.example.com/authorize?response_type=code&client_id=runner&state=…',
    description: 'Where the person’s browser goes now',
  })
  authorizationUrl!: string;
  @Timestamp({ description: 'Until then it must have come back' })
  expiresAt!: string;
}

export class RevokedGrantDto {
  @Flag({ example: true, description: 'Whether the grant is gone at the provider' })
  revoked!: boolean;
  @TextList({ example: ['workspace'], description: 'The keys of the connectors that lost their credential' })
  disconnected!: string[];
  @TextList({
    example: [],
    description: 'The keys of those that were connected anew meanwhile, which stay as they are',
  })
  changed!: string[];
  @Text({ example: 'The grant is revoked, and 1 connector is disconnected.' })
  message!: string;
}
