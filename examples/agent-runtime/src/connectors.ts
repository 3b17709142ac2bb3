import type { CallToolResult, PriorDiscovery } from '@modelcontextprotocol/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Acted, Connector, Repository } from './agents/agent.ts';
import { type Api, type Data, type Forwarded, Refused, refusal, type WorkManifest } from './api.ts';
import { pushBranch } from './repository.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A connector as the manifest names it. */
type Offered = WorkManifest['integrations'][number];

interface Access {
  readonly path: { readonly organizationId: string };
  readonly token: string;
  readonly signal: AbortSignal;
}

type Capability = Data<
  'post',
  '/internal/agent/organizations/{organizationId}/integrations/{integrationKey}/capability'
>;

/** A capability that ends sooner is replaced. */
const LEAST_LIFE_MS = 60_000;
/** A write that nobody has to approve is waited for by the service, a minute at most. */
const CALL_LIMIT_MS = 75_000;
/** The service speaks it, so that a call is one request. */
const PRIOR: PriorDiscovery = {
  kind: 'modern',
  discover: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
};
const UNRESOLVED = new Set(['awaiting_approval', 'approved', 'executing', 'reconciliation_required']);
const MOST_ATTEMPTS = 3;
/** A connector with these takes a branch. */
const GIT_TOOLS = ['git_fetch', 'git_push'];

/** What the organization is connected to, as this run may use it. Its credentials stay with the service. */
export class Connectors {
  private readonly api: Api;
  private readonly access: () => Access;
  private readonly manifest: () => Promise<WorkManifest>;
  private readonly capabilities = new Map<string, Capability>();

  constructor(api: Api, access: () => Access, manifest: () => Promise<WorkManifest>) {
    this.api = api;
    this.access = access;
    this.manifest = manifest;
  }

  /** The first connector of a purpose with tools for this run; undefined if there is none. */
  of(manifest: WorkManifest, purpose: string): Connector | undefined {
    const found = manifest.integrations.find(({ purposes, tools }) => purposes.includes(purpose) && tools.length > 0);
    if (!found) return undefined;
    const names = new Set(found.tools.map(({ name }) => name));
    return {
      key: found.key,
      offers: (tool) => names.has(tool),
      read: (tool, args) => this.read(found, tool, args),
      act: (tool, args) => this.act(found, tool, args),
    };
  }

  /** The first repository that the owner named, of the first connector to which this run may push. */
  repository(manifest: WorkManifest): Repository | undefined {
    const found = manifest.integrations.find(({ tools }) =>
      GIT_TOOLS.every((wanted) => tools.some(({ name }) => name === wanted)),
    );
    const resource = found?.resources.find(({ kind }) => kind === 'repository');
    if (!found || !resource) return undefined;
    const repository = { name: String(resource.name), defaultBranch: String(resource.defaultBranch) };
    const way = async () => {
      // Each attempt with a new one: what is granted may have moved on.
      this.capabilities.delete(found.key);
      const { integrationId, integrationGatewayCapability: capability } = await this.capabilityOf(found);
      return { baseUrl: this.api.baseUrl, integrationId, capability };
    };
    return { name: repository.name, push: (change) => pushBranch(repository, change, way, this.access().signal) };
  }

  /** A read by the plain route. What the provider could not answer is undefined. */
  private async read(connector: Offered, tool: string, args: JsonObject): Promise<JsonObject | undefined> {
    const called = await this.withCapability(connector, ({ integrationId, integrationGatewayCapability: token }) =>
      this.api.call('post', '/internal/gateway/integrations/{integrationId}/tools/{toolName}/call', {
        path: { integrationId, toolName: tool },
        body: { arguments: args },
        token,
        limitMs: CALL_LIMIT_MS,
        signal: this.access().signal,
      }),
    );
    const { structuredContent, isError } = (called.output ?? {}) as Partial<CallToolResult>;
    return called.status === 'succeeded' && isError !== true ? (structuredContent as JsonObject) : undefined;
  }

  /** A write as any MCP client does it. The same call again, after a crash too, meets the same action. */
  private async act(connector: Offered, tool: string, args: JsonObject): Promise<Acted> {
    try {
      const {
        isError,
        _meta = {},
        ...result
      } = await this.withCapability(connector, (capability) => this.callByMcp(capability, tool, args));
      const { actionId, status, code = status } = _meta as { actionId?: string; status?: string; code?: string };
      if (actionId !== undefined && UNRESOLVED.has(status ?? '')) return { kind: 'waits', actionId };
      if (isError === true) return { kind: 'refused', code: code ?? 'tool_error' };
      return { kind: 'done', result: (result.structuredContent ?? {}) as JsonObject };
    } catch (error) {
      // Whoever may use the connector may change at any moment; that ends no run.
      if (error instanceof Refused && error.status === 409 && error.code === 'state_conflict' && error.issue)
        return { kind: 'refused', code: error.issue };
      throw error;
    }
  }

  private async callByMcp(
    { integrationId, integrationGatewayCapability: token }: Capability,
    tool: string,
    args: JsonObject,
  ): Promise<CallToolResult> {
    const { signal } = this.access();
    const path = `/internal/gateway/integrations/${encodeURIComponent(integrationId)}/mcp`;
    const send = async (_: unknown, init: RequestInit = {}) =>
      answered(await this.api.forward(path, { ...init, signal: null }, CALL_LIMIT_MS, signal));
    // The address is the service's own, which the calls of this runtime know.
    const transport = new StreamableHTTPClientTransport(new URL('http://service/'), {
      fetch: send,
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    const client = new Client({ name: 'agent-runtime-example', version: '1' });
    await client.connect(transport, { prior: PRIOR });
    try {
      const toolDefinition = { name: tool, inputSchema: { type: 'object' as const } };
      return await client.callTool({ name: tool, arguments: { ...args } }, { toolDefinition, timeout: 2 ** 31 - 1 });
    } finally {
      await client.close();
    }
  }

  /** Works with a capability, and once more with a new one where the organization's grants have moved on. */
  private async withCapability<T>(connector: Offered, work: (capability: Capability) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(await this.capabilityOf(connector));
      } catch (error) {
        const isOutdated = error instanceof Refused && (error.issue === 'stale_epoch' || error.status === 401);
        if (!isOutdated || attempt === MOST_ATTEMPTS) throw error;
        this.capabilities.delete(connector.key);
      }
    }
  }

  private async capabilityOf({ key }: Offered): Promise<Capability> {
    const known = this.capabilities.get(key);
    if (known && Date.parse(known.expiresAt) - Date.now() > LEAST_LIFE_MS) return known;
    const { organization } = await this.manifest();
    const { path, ...access } = this.access();
    const capability = await this.api.call(
      'post',
      '/internal/agent/organizations/{organizationId}/integrations/{integrationKey}/capability',
      {
        ...access,
        path: { ...path, integrationKey: key },
        body: { authorizationEpoch: organization.authorizationEpoch },
      },
    );
    this.capabilities.set(key, capability);
    return capability;
  }
}

/** An answer for the client of the protocol; a refusal before it was dispatched is thrown as of any other call. */
function answered({ status, text, contentType }: Forwarded): Response {
  if (status === 401 || status === 409) throw refusalIn(status, text);
  const isBodiless = status === 202 || status === 204;
  return new Response(isBodiless ? null : text, { status, headers: { 'content-type': contentType ?? '' } });
}

/** A refusal as JSON-RPC: `error.data` has what other routes say in `error`. */
function refusalIn(status: number, text: string): Refused {
  try {
    const { error } = JSON.parse(text) as { error: { message: string; data: object } };
    return refusal(status, JSON.stringify({ message: error.message, error: error.data }));
  } catch {
    return refusal(status, text);
  }
}
