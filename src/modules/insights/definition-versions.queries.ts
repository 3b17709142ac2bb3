import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import type { DefinitionBody } from './definitions/index.ts';
import type { Recalculation } from './insight.state.ts';

/** A definition as an organization has it, of one version. */
export interface DefinitionRow {
  readonly key: string;
  readonly version: number;
  readonly hash: string;
  readonly body: DefinitionBody;
  readonly current: boolean;
  readonly recalculation: Recalculation;
}

export interface InsightStateRow {
  readonly publicationRevision: number;
  readonly definitionsRevision: number;
  readonly catalogHash: string | null;
  readonly timezone: string | null;
}

const STATE = columns<InsightStateRow>({
  publicationRevision: 's.publication_revision',
  definitionsRevision: 's.definitions_revision',
  catalogHash: 's.catalog_hash',
  timezone: 's.timezone',
});

/** Where an organization's figures stand; no row before anything was collected or asked. */
export function insightState(organizationId: string): Statement<InsightStateRow> {
  return sql`select ${STATE} from insight_state s where s.organization_id = ${organizationId}`;
}

/** The same, so that only one transaction moves definitions. */
export function lockInsightState(organizationId: string): Statement<InsightStateRow> {
  return sql`select ${STATE} from insight_state s where s.organization_id = ${organizationId} for update`;
}

/** All versions, in the order of keys, the newest first. */
export function definitionsOf(organizationId: string): Statement<DefinitionRow> {
  return sql`
    select ${columns<DefinitionRow>({
      key: 'd.key',
      version: 'd.version',
      hash: 'd.hash',
      body: 'd.body',
      current: 'd.current',
      recalculation: 'd.recalculation',
    })} from metric_definition d
    where d.organization_id = ${organizationId} order by d.key, d.version desc`;
}

/** Ends the currency of definitions. */
export function retireDefinitions(organizationId: string, keys: readonly string[]): Statement {
  return sql`
    update metric_definition set current = false
    where organization_id = ${organizationId} and key = any(${keys}::text[]) and current`;
}

export function insertDefinition(
  organizationId: string,
  { key, version, hash, body, recalculation }: DefinitionRow,
): Statement {
  return sql`
    insert into metric_definition (organization_id, key, version, hash, body, current, recalculation)
    values (${organizationId}, ${key}, ${version}, ${hash}, ${JSON.stringify(body)}::jsonb, true,
      ${JSON.stringify(recalculation)}::jsonb)`;
}

/** Says that the definitions are those of this catalog and timezone. */
export function moveDefinitions(
  organizationId: string,
  { revision, catalogHash, timezone }: { revision: number; catalogHash: string; timezone: string },
): Statement {
  return sql`
    update insight_state set definitions_revision = ${revision}, catalog_hash = ${catalogHash}, timezone = ${timezone}
    where organization_id = ${organizationId}`;
}
