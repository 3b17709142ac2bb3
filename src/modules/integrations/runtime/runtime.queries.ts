import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { ProfileKind } from '../../../kernel/principals/index.ts';

/** A profile as connectors see it. */
export interface RuntimeProfile {
  readonly id: string;
  readonly key: string;
  readonly kind: ProfileKind;
  readonly department: string | null;
  readonly enabled: boolean;
}

/** The profiles of an organization that are not deleted, by key. */
export function runtimeProfiles(organizationId: string): Statement<RuntimeProfile> {
  return sql`
    select p.id, p.key, p.kind, p.department, p.status = 'enabled' as enabled from agent_profile p
    where p.organization_id = ${organizationId} and p.deleted_at is null order by p.key`;
}

/** The present epoch. */
export function presentEpoch(organizationId: string): Statement<{ authorizationEpoch: number }> {
  return sql`select o.authorization_epoch as "authorizationEpoch" from organization o where o.id = ${organizationId}`;
}
