import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import {
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  ProviderFailure,
  type ProviderNet,
  type ToolCall,
  type Verified,
} from '../../integrations/index.ts';
import { USER_INFO, WORKSPACE } from './manifest.ts';

interface WorkspaceSettings {
  readonly kind: 'workspace';
  readonly services: readonly string[];
}

const MOST_BYTES = 65_536;

/** The workspace: who authorized it. It has no tools yet, so its connectors end in `needs_tools`. */
export class WorkspaceSuite implements ProviderAdapter<WorkspaceSettings> {
  readonly entry = WORKSPACE;
  /** Only tests put another address here. */
  userInfo = USER_INFO;

  get hosts(): readonly string[] {
    return [new URL(this.userInfo).host];
  }

  /** Asks whose the token is; no service is called. */
  async verify({ secret }: ProviderAccess, _: WorkspaceSettings | null, net: ProviderNet): Promise<Verified> {
    const headers = secret.kind === 'authorized' ? secret.authorize('GET', this.userInfo) : {};
    const account = await accountAt(this.userInfo, headers, net);
    return {
      account,
      details: {},
      resources: [],
      observations: [{ scope: 'credential', status: 'verified' }],
    };
  }

  tools(): readonly ListedTool[] {
    return [];
  }

  scope(tool: ListedTool): ToolCall {
    throw invalid('arguments', EdgeIssues.unknownReference, `${tool.name} is no tool of the workspace`);
  }
}

async function accountAt(
  address: string,
  headers: Readonly<Record<string, string>>,
  net: ProviderNet,
): Promise<Verified['account']> {
  let response: Response;
  let text: string;
  try {
    response = await net.fetch(address, { headers: { ...headers, accept: 'application/json' }, signal: net.signal });
    text = await response.text();
  } catch {
    throw failure('unavailable', null);
  }
  const { status } = response;
  if (status === 401) throw failure('credential_refused', status);
  if (status === 403) throw failure('scope_lost', status);
  if (status === 429) throw failure('rate_limited', status);
  if (status >= 500) throw failure('unavailable', status);
  const claims = status === 200 && text.length <= MOST_BYTES ? objectIn(text) : undefined;
  const { sub, email } = claims ?? {};
  if (typeof sub !== 'string' || sub === '') throw failure('bad_answer', status);
  return { subject: sub, label: typeof email === 'string' ? email : null };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function failure(code: ProviderFailure['failure']['code'], status: number | null): ProviderFailure {
  return new ProviderFailure({ code, status, retryAfterSeconds: null, sent: true });
}
