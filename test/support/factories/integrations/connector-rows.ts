import { randomUUID } from 'node:crypto';
import type { TestApp } from '../../test-app.ts';
import { type Columns, insertRow } from '../rows.ts';

/** A connector of an owner, as the table has it. */
export function connectorRow(
  app: TestApp,
  organizationId: string,
  endpoint: string,
  columns: Columns = {},
): Promise<string> {
  const id = randomUUID();
  const at = new Date().toISOString();
  return insertRow(app, 'integration', {
    organization_id: organizationId,
    id,
    key: `mcp-${id.slice(0, 8)}`,
    kind: 'mcp',
    origin: 'owner',
    name: 'Orders',
    description: '',
    endpoint,
    purposes: [],
    enabled: false,
    access_mode: 'ask_before_write',
    review_required: [],
    required_scopes: [],
    inventory_failures: 0,
    context_revision: 1,
    credential_generation: 0,
    settings_revision: 0,
    tools_revision: 0,
    grants_revision: 0,
    collection_generation: 0,
    created_at: at,
    updated_at: at,
    ...columns,
  });
}
