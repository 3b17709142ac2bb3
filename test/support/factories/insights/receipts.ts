import type { Client } from '../../client.ts';
import type { TestApp } from '../../test-app.ts';
import { CollectedSource } from './stores.ts';

/** Where organizations of the tests live. */
export const ZONE = 'Europe/Berlin';
/** The source that the examples of the documents name. */
const SHOWN_SOURCE = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a21';
export const MARCH = { from: '2026-03-01', to: '2026-04-01' };

/** A receipt of an organization's own source, with figures of March. */
export async function receiptOf(owner: Client, organizationId: string, app: TestApp): Promise<string> {
  const store = await new CollectedSource(app, organizationId, ZONE).open({ row: { id: SHOWN_SOURCE } });
  await store.publish('orders', {
    ...MARCH,
    series: [{ measure: 'orders.count', from: MARCH.from, values: ['1', '2'] }],
  });
  const query = { ...MARCH, grain: 'month', metrics: [{ key: 'payments.orders' }] };
  const { status, text, body } = await owner.post(`/organizations/${organizationId}/insights/query`, { query });
  if (status !== 200) throw new Error(`No receipt: ${text}`);
  return body.data.receiptId as string;
}
