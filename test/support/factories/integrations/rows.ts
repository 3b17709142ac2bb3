import { createHash } from 'node:crypto';
import { newId } from '../../../../src/kernel/ids/index.ts';
import type { Client } from '../../client.ts';
import { ENCRYPTION_KEY, type TestApp } from '../../test-app.ts';
import { type Columns, insertRow } from '../rows.ts';

/** At an origin that the tests approve; nothing answers there. */
export const ENDPOINT = 'https://orders.acme.example/mcp';

/** An owner's own connector, made by the API; its projection. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
export async function createIntegration(owner: Client, organizationId: string, body: Columns = {}): Promise<any> {
  const given = { name: 'Orders', endpoint: ENDPOINT, ...body };
  const { status, text, body: answer } = await owner.post(`/organizations/${organizationId}/integrations`, given);
  if (status !== 201) throw new Error(`No connector: ${text}`);
  return answer.data;
}

/** A tool as it is stored behind a listing. */
export function listedTool(name: string, tool: Columns = {}): Columns {
  return {
    name,
    title: null,
    description: `Does ${name}`,
    inputSchema: { type: 'object' },
    access: 'read',
    risk: 'external',
    reviewRequired: false,
    definitionHash: createHash('sha256').update(name).digest('hex'),
    ...tool,
  };
}

const TOOLS = [listedTool('list_orders'), listedTool('send', { access: 'write' })];

interface Connected {
  readonly row?: Columns;
  readonly credential?: Columns;
  readonly tools?: readonly Columns[];
  /** Names of those that are selected; all unless said. */
  readonly selected?: readonly string[];
}

/** An owner's own connector straight in the tables: connected, enabled and with tools unless said; its id. */
export async function integrationRow(
  app: TestApp,
  organizationId: string,
  { row = {}, credential = {}, tools = TOOLS, selected }: Connected = {},
): Promise<string> {
  const id = newId();
  const chosen = tools.filter(({ name }) => selected?.includes(name as string) ?? true);
  await insertRow(app, 'integration', {
    organization_id: organizationId,
    id,
    key: `mcp-${id}`,
    kind: 'mcp',
    origin: 'owner',
    name: 'Orders',
    description: '',
    endpoint: 'https://orders.acme.example/',
    purposes: ['order_management'],
    enabled: true,
    access_mode: 'ask_before_write',
    selection: {
      explicit: false,
      tools: Object.fromEntries(
        chosen.map(({ name, definitionHash }) => [name, { definitionHash, quarantined: false }] as const),
      ),
    },
    review_required: [],
    required_scopes: [],
    inventory_failures: 0,
    context_revision: 1,
    credential_generation: 1,
    settings_revision: 0,
    tools_revision: 1,
    grants_revision: 0,
    collection_generation: 0,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...row,
  });
  await insertRow(app, 'integration_credential', {
    organization_id: organizationId,
    integration_id: id,
    purpose: 'primary',
    generation: 1,
    kind: 'api_key',
    state: 'connected',
    details: {},
    scopes: [],
    token_version: 1,
    refresh_failures: 0,
    connected_at: '2026-01-01T00:00:00Z',
    // Of a key that every service of the tests has, or it would refuse to start on this database.
    key_id: ENCRYPTION_KEY.split(':')[0],
    wrapped_key: Buffer.from('sealed'),
    sealed: Buffer.from('sealed'),
    ...credential,
  });
  await insertRow(app, 'integration_inventory', {
    organization_id: organizationId,
    integration_id: id,
    tools,
    excluded: [],
    listed_at: '2026-01-01T00:00:00Z',
  });
  return id;
}

/** Lets profiles use a connector. */
export async function grantRows(
  app: TestApp,
  organizationId: string,
  integrationId: string,
  grants: Readonly<Record<string, 'full' | 'read'>>,
): Promise<void> {
  for (const [key, access] of Object.entries(grants))
    await app.db.query(
      `insert into integration_grant (organization_id, integration_id, agent_profile_id, read_only)
       select organization_id, $2, id, $4 from agent_profile
       where organization_id = $1 and key = $3 and deleted_at is null`,
      [organizationId, integrationId, key, access === 'read'],
    );
}

/** The present authorization epoch of an organization. */
export async function epochOf(app: TestApp, organizationId: string): Promise<number> {
  const { rows } = await app.db.query<{ epoch: number }>(
    'select authorization_epoch as epoch from organization where id = $1',
    [organizationId],
  );
  return rows[0]!.epoch;
}

/** Puts connectors into an order, as if each had been usable. */
export async function preferRows(
  app: TestApp,
  organizationId: string,
  order: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await app.db.query('update integration_preferences set revision = 1, "order" = $2 where organization_id = $1', [
    organizationId,
    JSON.stringify(order),
  ]);
}
