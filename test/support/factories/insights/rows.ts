import { newId } from '../../../../src/kernel/ids/index.ts';
import type { TestApp } from '../../test-app.ts';
import { type Columns, insertRow } from '../rows.ts';

const AT = '2026-11-01T00:00:00Z';

/** A store's source, straight in the tables; its id. */
export function sourceRow(app: TestApp, organizationId: string, row: Columns = {}): Promise<string> {
  const id = newId();
  return insertRow(app, 'metric_source', {
    organization_id: organizationId,
    id,
    provider: 'payments-provider',
    dataset: 'payments',
    environment: 'live',
    account_id: id,
    resource_id: id,
    integration_id: newId(),
    connector_key: 'payments-provider',
    name: 'Store',
    preferred: true,
    stamp: 'x',
    created_at: AT,
    failures: 0,
    rejections: 0,
    calls: 0,
    coverage: { status: 'none', reason: 'collecting', from: null, to: null, provisional: true, reporting: null },
    ...row,
  });
}

/** A row in every table of figures. */
export async function insightRows(app: TestApp, organizationId: string): Promise<void> {
  const of = { organization_id: organizationId };
  const insert = (table: string, row: Columns) => insertRow(app, table, { ...of, ...row });
  const sourceId = await sourceRow(app, organizationId);
  const [seriesId, collectionId] = [newId(), newId()];
  const read = { source_id: sourceId, read_key: 'orders', timezone: 'UTC' };
  const days = { from_day: '2026-11-01', to_day: '2026-11-02' };
  await insert('insight_state', { publication_revision: 1, definitions_revision: 1 });
  const current = { status: 'current', reason: null };
  await insert('metric_definition', {
    key: 'x',
    version: 1,
    hash: 'x',
    body: {},
    current: true,
    recalculation: current,
  });
  await insert('metric_read', { ...read, version: 1, due_at: AT, progress: {} });
  const collection = { read_version: 1, purpose: 'recent', status: 'published', calls: 1, collection_generation: 'x' };
  await insert('metric_collection', { ...read, ...days, ...collection, id: collectionId, told: {}, started_at: AT });
  await insert('metric_staged', { collection_id: collectionId, item_key: '1', fact: [] });
  const series = { source_id: sourceId, measure: 'orders.count', measure_version: 1, timezone: 'UTC', grain: 'day' };
  await insert('metric_series', { ...series, id: seriesId });
  const block = { block_start: '2026-11-01', from_revision: 1, values: [1], reasons: [null] };
  await insert('metric_block', { ...block, series_id: seriesId });
  const coverage = { period_start: '2026-11-01', from_revision: 1, status: 'complete', provisional: false };
  await insert('metric_coverage', { ...read, ...coverage, read_version: 1, collected_at: AT });
  await insert('metric_publication', { revision: 1, source_id: sourceId, collection_id: collectionId, at: AT });
  await insert('metric_restatement', { series_id: seriesId, period_start: '2026-11-01', revision: 1, new: 1, at: AT });
  const revisions = { publication_revision: 1, definitions_revision: 1 };
  const answer = { request: {}, answer: '', digest: 'x', series_ids: [seriesId], source_ids: [sourceId], caller: {} };
  await insert('metric_receipt', { ...revisions, ...answer, ...days, id: newId(), created_at: AT });
}
