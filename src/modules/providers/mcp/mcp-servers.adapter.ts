import {
  type CatalogEntry,
  type ListedTool,
  OWNER_MADE_KIND,
  type ProviderAccess,
  type ProviderAdapter,
  type ProviderNet,
  type ToolCall,
  type ToolSession,
  type Verified,
} from '../../integrations/index.ts';
import { checkArguments } from '../tool-arguments/index.ts';
import { McpSession } from './mcp-session.adapter.ts';

const ENTRY: CatalogEntry = {
  key: OWNER_MADE_KIND,
  version: 1,
  status: 'active',
  name: 'MCP server',
  description: 'A server of your own that speaks the Model Context Protocol.',
  connectionType: 'mcp',
  purposes: [],
  credentialKinds: ['none', 'api_key'],
  authorization: 'mcp',
  fixedReadOnly: false,
  enabledByCredential: true,
  settings: 'none',
  settingsVerified: false,
  hasReportingCredential: false,
  tools: 'discovered',
  defaultDepartments: [],
  inCatalog: false,
};

/** MCP servers that owners bring. */
export class McpServers implements ProviderAdapter<never> {
  readonly entry = ENTRY;

  /** A server that lists its tools takes the credential. Whose it is, the protocol does not say. */
  async verify(access: ProviderAccess, _: null, net: ProviderNet): Promise<Verified> {
    const session = await this.open(access, net);
    try {
      const inventory = await session.list();
      return {
        account: { subject: null, label: null },
        details: {},
        resources: [],
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'tools', status: 'verified' },
        ],
        inventory,
      };
    } finally {
      await session.close();
    }
  }

  open(access: ProviderAccess, net: ProviderNet): Promise<ToolSession> {
    return McpSession.open(access, net);
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>): ToolCall {
    checkArguments(tool.inputSchema, args);
    return { tool, arguments: args };
  }
}
