import { randomUUID } from 'node:crypto';
import { newId } from '../../../../src/kernel/ids/index.ts';
import {
  type Dataset,
  type Day,
  plusDays,
  type ReadCoverage,
  readOf,
} from '../../../../src/modules/insights/definitions/index.ts';
import type { Figures } from '../../../../src/modules/insights/publication/difference.ts';
import type { LateFigures } from '../../../../src/modules/insights/publication/late-figures.ts';
import {
  type NewPublication,
  PublicationService,
  type Published,
} from '../../../../src/modules/insights/publication/publication.service.ts';
import { ENCRYPTION_KEY, type TestApp } from '../../test-app.ts';
import { type Columns, insertRow } from '../rows.ts';
import { sourceRow } from './rows.ts';

/** As the database of a source that stands on its connector has it. */
export const STAMP = JSON.stringify(['live', 1, 0]);

/** Values of one series, from a day on. */
export interface GivenSeries {
  readonly measure: string;
  readonly currency?: string;
  readonly cut?: string;
  readonly from: Day;
  readonly values: readonly (string | null)[];
}

/** Connects a kind of connector in the tables, with what was verified of it; its id. */
export async function connectedRow(
  app: TestApp,
  organizationId: string,
  kind: string,
  row: { settings: Columns; resources: readonly Columns[]; identity?: string; credential?: Columns },
): Promise<string> {
  const { rows } = await app.db.query<{ id: string }>(
    `update integration set enabled = true, credential_generation = 1, settings_revision = 1, verified_for = '1.1',
       settings = $3, verified_resources = $4
     where organization_id = $1 and kind = $2 returning id`,
    [organizationId, kind, JSON.stringify(row.settings), JSON.stringify(row.resources)],
  );
  const { id } = rows[0]!;
  await insertRow(app, 'integration_credential', {
    organization_id: organizationId,
    integration_id: id,
    purpose: 'primary',
    generation: 1,
    kind: 'api_key',
    state: 'connected',
    identity: row.identity ?? 'live',
    details: {},
    scopes: [],
    token_version: 1,
    refresh_failures: 0,
    connected_at: '2026-01-01T00:00:00Z',
    key_id: ENCRYPTION_KEY.split(':')[0],
    wrapped_key: Buffer.from('sealed'),
    sealed: Buffer.from('sealed'),
    ...row.credential,
  });
  return id;
}

/** A source whose connector stands by it, and that is collected by whoever made it; figures are published through the service. */
export class CollectedSource {
  readonly leaseToken = randomUUID();
  id = '';
  integrationId = '';
  dataset: Dataset = 'payments';

  constructor(
    readonly app: TestApp,
    readonly organizationId: string,
    readonly timezone = 'UTC',
  ) {}

  /** A live store of the payments provider, unless another kind is said. */
  async open({
    provider = 'payments-provider',
    dataset = 'payments',
    resourceId = '1',
    row = {},
  }: { provider?: string; dataset?: Dataset; resourceId?: string; row?: Columns } = {}): Promise<this> {
    const { app, organizationId } = this;
    this.dataset = dataset;
    const resource = { accountId: resourceId, resourceId, name: 'Store', environment: 'live' };
    this.integrationId = await connectedRow(app, organizationId, provider, { settings: {}, resources: [resource] });
    await app.db.query(`insert into insight_state (organization_id, timezone) values ($1, $2) on conflict do nothing`, [
      organizationId,
      this.timezone,
    ]);
    return this.withRow(provider, resourceId, row);
  }

  /** Another resource of the same connector. */
  async beside(resourceId: string): Promise<CollectedSource> {
    const other = new CollectedSource(this.app, this.organizationId, this.timezone);
    other.integrationId = this.integrationId;
    other.dataset = this.dataset;
    const resource = { accountId: resourceId, resourceId, name: 'Store', environment: 'live' };
    const { rows } = await this.app.db.query<{ kind: string }>(
      `update integration set verified_resources = verified_resources || $2::jsonb where id = $1 returning kind`,
      [this.integrationId, JSON.stringify([resource])],
    );
    return other.withRow(rows[0]!.kind, resourceId, {});
  }

  private async withRow(provider: string, resourceId: string, row: Columns): Promise<this> {
    const { app, organizationId, dataset } = this;
    this.id = await sourceRow(app, organizationId, {
      provider,
      dataset,
      environment: 'live',
      account_id: resourceId,
      resource_id: resourceId,
      connector_key: provider,
      integration_id: this.integrationId,
      stamp: STAMP,
      lease_token: this.leaseToken,
      lease_expires_at: '2099-01-01T00:00:00Z',
      ...row,
    });
    return this;
  }

  /** Publishes days of a read: all of them covered as said, values where there are some. */
  publish(readKey: string, days: GivenDays, given: Partial<NewPublication> = {}): Promise<Published | undefined> {
    const read = readOf(this.dataset, readKey)!;
    return this.app.app.get(PublicationService).publish(this.organizationId, {
      sourceId: this.id,
      integrationId: this.integrationId,
      collectionId: newId(),
      leaseToken: this.leaseToken,
      stamp: STAMP,
      read,
      timezone: this.timezone,
      coverage: coverageOf(days),
      figures: (days.series ?? []).map(figuresOf),
      ...(days.late ? { late: days.late } : {}),
      ...given,
    });
  }
}

export interface GivenDays {
  readonly from: Day;
  readonly to: Day;
  readonly coverage?: Partial<ReadCoverage>;
  readonly series?: readonly GivenSeries[];
  readonly late?: readonly LateFigures[];
}

function coverageOf({ from, to, coverage = {} }: GivenDays): ReadCoverage[] {
  const all: ReadCoverage[] = [];
  for (let day = from; day < to; day = plusDays(day, 1))
    all.push({
      periodStart: day,
      status: 'complete',
      reason: null,
      provisional: false,
      collectedAt: '2026-11-30T00:00:00.000000Z',
      reporting: null,
      ...coverage,
    });
  return all;
}

function figuresOf({ measure, currency, cut, from, values }: GivenSeries): Figures {
  const slots = new Map(values.map((value, at) => [plusDays(from, at), { value, reason: null }]));
  return { measure, currency: currency ?? null, cut: cut ?? null, slots };
}
