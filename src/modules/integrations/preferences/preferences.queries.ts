import { sql, type Statement } from '../../../kernel/database/index.ts';

/** By purpose the keys of all connectors that were ever usable, the preferred one first. */
export type PreferenceOrder = Readonly<Record<string, readonly string[]>>;

export interface Preferences {
  readonly revision: number;
  readonly order: PreferenceOrder;
}

export function preferencesOf(organizationId: string): Statement<Preferences> {
  return sql`
    select p.revision, p."order" from integration_preferences p where p.organization_id = ${organizationId}`;
}

/** Locks them, behind the connectors in the order of locks. */
export function lockPreferences(organizationId: string): Statement<Preferences> {
  return sql`
    select p.revision, p."order" from integration_preferences p where p.organization_id = ${organizationId}
    for no key update`;
}

export function setPreferences(organizationId: string, { revision, order }: Preferences): Statement {
  return sql`
    update integration_preferences set revision = ${revision}, "order" = ${JSON.stringify(order)}::jsonb
    where organization_id = ${organizationId}`;
}
