import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type {
  ListedTool,
  ProviderAccess,
  ProviderAdapter,
  ProviderNet,
  SentCall,
  ToolCall,
  ToolOutput,
  Verified,
} from '../../integrations/index.ts';
import { FixedTools } from '../fixed-tools/index.ts';
import { requireShape } from '../wire/index.ts';
import { createEvent, listEvents, requireEvent, requireEvents } from './calendar.ts';
import { WorkspaceClient } from './client.ts';
import { readCells, readDocument, readFile, searchContacts, searchFiles } from './files.ts';
import { readMail, requireMailSize, searchMail, sendMail } from './mail.ts';
import { SERVICE_HOSTS, USER_INFO, WORKSPACE } from './manifest.ts';
import { TOOLS } from './tool-definitions.ts';

interface WorkspaceSettings {
  /** Those whose scopes were granted. */
  readonly services: readonly string[];
}

type Ask<Answer> = (args: never, client: WorkspaceClient) => Promise<Answer>;

const READS: Readonly<Record<string, Ask<ToolOutput>>> = {
  mail_search: searchMail,
  mail_read: readMail,
  calendar_list_events: listEvents,
  drive_search: searchFiles,
  drive_read: readFile,
  sheets_read: readCells,
  docs_read: readDocument,
  contacts_search: searchContacts,
};
const WRITES: Readonly<Record<string, Ask<SentCall>>> = { mail_send: sendMail, calendar_create_event: createEvent };
/** What a schema does not say of arguments. */
const RULES: Readonly<Record<string, (args: never) => void>> = {
  mail_send: requireMailSize,
  calendar_list_events: requireEvents,
  calendar_create_event: requireEvent,
};

const tools = new FixedTools(TOOLS);
const SERVICES: ReadonlyMap<string, string> = new Map(TOOLS.map(({ name, service }) => [name, service]));

/** The workspace: who authorized it, and the tools of the services that were granted. */
export class WorkspaceSuite implements ProviderAdapter<WorkspaceSettings> {
  readonly entry = WORKSPACE;
  /** Only tests put another address here. */
  userInfo = USER_INFO;

  get hosts(): readonly string[] {
    return [new URL(this.userInfo).host, ...SERVICE_HOSTS];
  }

  /** Asks whose the token is; no service is called. */
  async verify(access: ProviderAccess, _: WorkspaceSettings | null, net: ProviderNet): Promise<Verified> {
    const { sub, email } = await new WorkspaceClient(access, net).read(new URL(this.userInfo));
    requireShape(typeof sub === 'string' && sub !== '', { status: 200 });
    return {
      account: { subject: sub, label: typeof email === 'string' ? email : null },
      details: {},
      resources: [],
      observations: [{ scope: 'credential', status: 'verified' }],
    };
  }

  tools(settings: WorkspaceSettings | null): readonly ListedTool[] {
    return tools.listed().filter(({ name }) => isGranted(name, settings));
  }

  scope(tool: ListedTool, args: Readonly<Record<string, unknown>>, settings: WorkspaceSettings | null): ToolCall {
    if (!settings || !isGranted(tool.name, settings))
      throw invalid('arguments', EdgeIssues.unknownReference, `${tool.name} is of a service that was not granted`);
    const checked = tools.checked(tool.name, args);
    RULES[tool.name]?.(checked as never);
    return { tool, arguments: checked };
  }

  call({ tool, arguments: args }: ToolCall, access: ProviderAccess, net: ProviderNet): Promise<ToolOutput> {
    return READS[tool.name]!(args as never, new WorkspaceClient(access, net));
  }

  /** Nothing can be known before: what a write needs is in its arguments. */
  prepare(): Promise<unknown> {
    return Promise.resolve(null);
  }

  send({ tool, arguments: args }: ToolCall, _: unknown, access: ProviderAccess, net: ProviderNet): Promise<SentCall> {
    return WRITES[tool.name]!(args as never, new WorkspaceClient(access, net));
  }
}

/** All tools where nothing was granted yet. */
function isGranted(name: string, settings: WorkspaceSettings | null): boolean {
  return settings?.services.includes(SERVICES.get(name) ?? '') ?? true;
}
