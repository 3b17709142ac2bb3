import {
  Flag,
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  Text,
  TextList,
  Timestamp,
} from '../../../kernel/validation/index.ts';
import { RISKS } from '../../organizations/index.ts';
import { ACCESS_MODES, type AccessMode, TOOL_ACCESS } from '../integration.state.ts';
import { EXCLUSIONS, type ListedTool } from '../provider-adapters.port.ts';
import { asReviewed } from '../readiness/readiness.policy.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';
import type { StoredInventory } from './inventory.queries.ts';
import { compareTools, TOOL_STATUSES } from './tool-comparison.ts';
import { DEFINITION_PARTS } from './tool-selection.policy.ts';

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const NAME = /^[A-Za-z0-9_./-]{1,128}$/;
const NAMES = {
  schema: { type: 'string', pattern: NAME.source, maxLength: 128 },
  what: 'the name of a tool',
  test: (text: string) => NAME.test(text),
};

export class UpdateToolsDto {
  @OneOf(ACCESS_MODES, {
    example: 'ask_before_write',
    description:
      'Without `tools` every tool that it permits is selected, except those in quarantine, which stay there until they are named',
  })
  accessMode!: AccessMode;
  @TextList({
    optional: true,
    max: 500,
    items: NAMES,
    example: ['list_orders', 'send_confirmation'],
    description:
      'Exactly these, as they are defined now, those in quarantine too; each listed and permitted by the mode',
  })
  tools?: string[];
  @TextList({
    optional: true,
    max: 500,
    items: NAMES,
    example: ['list_orders'],
    description:
      'Tools of which a person sees each call, beside those that their definitions demand; a read among them counts as a write. Absent: as before',
  })
  reviewRequiredTools?: string[];
  @Integer({
    optional: true,
    min: 0,
    example: 2,
    description: '`revisions.tools` as it was read; another one by now is 409',
  })
  expectedRevision?: number;
}

export class DiscoveredToolDto {
  @Text({ max: 128, example: 'list_orders' })
  name!: string;
  @Text({ min: 0, nullable: true, example: 'List orders' })
  title!: string | null;
  @Text({ min: 0, nullable: true, example: 'Lists the orders of a day.' })
  description!: string | null;
  @OneOf(TOOL_ACCESS, { example: 'read', description: 'A read that is to be reviewed counts as a write' })
  access!: string;
  @OneOf(RISKS, { example: 'external' })
  risk!: string;
  @Flag()
  selected!: boolean;
  @Flag({ example: false })
  quarantined!: boolean;
  @Text({ example: HASH, description: 'SHA-256 of the definition as it is listed now' })
  definitionHash!: string;
  @OneOf(TOOL_STATUSES, {
    example: 'same',
    description:
      'Of a selected tool against the definition that was selected, of any other against the listing before; `missing` ones are shown as they were',
  })
  status!: string;
  @ListOf(DEFINITION_PARTS, { example: [], description: 'In which parts it changed, as far as that was seen' })
  changed!: readonly string[];
}

export class ExcludedToolDto {
  @Text({ min: 0, max: 128, example: 'orders list' })
  name!: string;
  @OneOf(EXCLUSIONS, { example: 'invalid_name' })
  reason!: string;
}

export class ServerIdentityDto {
  @Text({ min: 0, example: 'orders' })
  name!: string;
  @Text({ min: 0, example: '1.4.0' })
  version!: string;
}

export class DiscoveredToolsDto {
  @NestedList(() => DiscoveredToolDto)
  tools!: DiscoveredToolDto[];
  @NestedList(() => ExcludedToolDto, { description: 'What the provider lists and cannot be offered' })
  excluded!: ExcludedToolDto[];
  @Nested(() => ServerIdentityDto, { nullable: true, description: 'What the server calls itself' })
  server!: ServerIdentityDto | null;
  @Text({ nullable: true, example: '2025-11-25', description: 'The revision of MCP that it speaks' })
  protocolVersion!: string | null;
  @Timestamp()
  listedAt!: string;
}

/** A listing as its owner sees it; `was` is the one before. */
export function toDiscovered(
  { row }: StandingConnector,
  { tools, excluded, server, listedAt }: StoredInventory,
  was: readonly ListedTool[],
): DiscoveredToolsDto {
  return {
    tools: [...compareTools(asReviewed(tools, row.reviewRequired), asReviewed(was, row.reviewRequired), row.selection)],
    excluded: excluded.map(({ name, reason }) => ({ name, reason })),
    server: server && { name: server.name, version: server.version },
    protocolVersion: row.mcp?.version ?? null,
    listedAt,
  };
}
