import {
  Flag,
  Formatted,
  Integer,
  Name,
  Nested,
  PartialUpdate,
  Slug,
  Text,
  TextList,
} from '../../kernel/validation/index.ts';
import { EdgeIssues } from '../../kernel/errors/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { PURPOSE_ITEMS } from './integration-ref.ts';
import { GivenContextDto } from './operating-context.dto.ts';

const ENDPOINT = {
  max: 2_000,
  example: 'https://orders.acme.example/mcp',
  description:
    'The https address of the MCP server, without credentials, fragment and IP address, at an origin that the deployment approves',
};

const SLUG_ITEMS = {
  schema: { type: 'string', minLength: 1, maxLength: 100 },
  what: 'the key of an agent profile',
  test: (text: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= 100,
};

export class CreateIntegrationDto {
  @Name({ example: 'Orders' })
  name!: string;
  @Slug({ optional: true, example: 'mcp-orders', description: 'Begins with `mcp-`; made of the name when left out' })
  key?: string;
  @Text(ENDPOINT)
  endpoint!: string;
  @TextList({ max: 10, items: PURPOSE_ITEMS, optional: true, example: ['order_management'] })
  purposes?: string[];
  @Text({ min: 0, max: 2_000, optional: true, example: 'Our shop' })
  description?: string;
  @TextList({
    max: 100,
    items: SLUG_ITEMS,
    optional: true,
    example: ['chat', 'operator', 'support'],
    description: 'Keys of the profiles that may use it; operator and chat when left out',
  })
  profileGrants?: string[];
}

@PartialUpdate()
export class UpdateIntegrationDto {
  @Name({ optional: true, example: 'Orders' })
  name?: string;
  @Text({ min: 0, max: 2_000, optional: true, example: 'Our shop' })
  description?: string;
  @Text({
    ...ENDPOINT,
    optional: true,
    description: `${ENDPOINT.description}. Another one forgets credential, tools and their selection, and health`,
  })
  endpoint?: string;
}

export class IntegrationStatusDto {
  @Flag({ example: true })
  enabled!: boolean;
}

export class ProfileGrantsDto {
  @TextList({
    max: 100,
    items: SLUG_ITEMS,
    example: ['chat', 'operator', 'support'],
    description: 'Keys of the profiles that may use it from now on',
  })
  profileGrants!: string[];
  @TextList({
    max: 100,
    items: SLUG_ITEMS,
    example: ['support'],
    description: 'Those of them that may only read; the operator never does anything else',
  })
  readOnlyProfileKeys!: string[];
  @Integer({ min: 0, optional: true, example: 0, description: 'Refuses another `revisions.grants`' })
  expectedRevision?: number;
}

export class ContextMappingDto {
  @Integer({ min: 1, example: 1, description: 'Refuses another `contextRevision`' })
  expectedRevision!: number;
  @Nested(() => GivenContextDto, { description: 'Replaces the whole context; at most 64 KiB' })
  context!: GivenContextDto;
}

export class PreferenceParams extends OrganizationParams {
  @Formatted({
    test: PURPOSE_ITEMS.test,
    issue: EdgeIssues.invalidSlug,
    what: PURPOSE_ITEMS.what,
    max: 64,
    example: 'order_management',
  })
  purpose!: string;
}

export class SetPreferencesDto {
  @Integer({ min: 1, example: 1, description: 'Refuses another revision' })
  expectedRevision!: number;
  @TextList({
    max: 200,
    items: SLUG_ITEMS,
    example: ['mcp-orders', 'mcp-orders-2'],
    description: 'The same connectors in another order, the preferred one first',
  })
  connectorKeys!: string[];
}
