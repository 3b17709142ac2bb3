import { sql, type Statement } from '../../../kernel/database/index.ts';
import { ICONS } from './icon.policy.ts';

export interface FoundImage {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** The website of an organization, and what is known of its icon. */
export interface IconRow {
  readonly website: string | null;
  readonly blockedDomains: readonly string[];
  /** Null where this website was never looked at. */
  readonly status: 'none' | 'found' | null;
  readonly mediaType: string | null;
  readonly bytes: Buffer | null;
  readonly sha256: string | null;
  readonly isFresh: boolean;
  readonly isLookedFor: boolean;
}

export function iconOf(organizationId: string): Statement<IconRow> {
  return sql`
    select o.website, o.blocked_domains as "blockedDomains", i.status, i.media_type as "mediaType", i.bytes, i.sha256,
      coalesce(i.expires_at > clock_timestamp(), false) as "isFresh",
      coalesce(i.lookup_until > clock_timestamp(), false) as "isLookedFor"
    from organization o
    left join organization_icon i on i.organization_id = ${organizationId} and i.website = o.website
    where o.id = ${organizationId}`;
}

/** Makes the row that callers claim, if there is none. */
export function noteIcon(organizationId: string, website: string): Statement {
  return sql`
    insert into organization_icon (organization_id, website, status, failures)
    values (${organizationId}, ${website}, 'none', 0)
    on conflict (organization_id) do nothing`;
}

const CLAIMED = sql.raw(`interval '${ICONS.claimSeconds} seconds'`);

/**
 * Claims the look-up at the organization's present website, unless it is fresh or somebody else's; returns until when, which
 * is the claim. What was found on another website goes.
 */
export function claimLookup(organizationId: string, website: string): Statement<{ claim: string }> {
  return sql`
    with free as (
      select clock_timestamp() + ${CLAIMED} as until, i.website <> o.website as is_other
      from organization_icon i join organization o on o.id = ${organizationId}
      where i.organization_id = ${organizationId} and o.website = ${website}
        and (i.website <> o.website
          or (i.lookup_until is null or i.lookup_until <= clock_timestamp())
            and (i.expires_at is null or i.expires_at <= clock_timestamp()))
      for no key update of i)
    update organization_icon i set website = ${website}, lookup_until = f.until,
      status = case when f.is_other then 'none' else i.status end,
      media_type = case when f.is_other then null else i.media_type end,
      bytes = case when f.is_other then null else i.bytes end,
      sha256 = case when f.is_other then null else i.sha256 end,
      expires_at = case when f.is_other then null else i.expires_at end,
      failures = case when f.is_other then 0 else i.failures end
    from free f where i.organization_id = ${organizationId}
    returning i.lookup_until as claim`;
}

const FRESH = sql.raw(`interval '${ICONS.freshMinutes} minutes'`);
const RETRY = sql.raw(`interval '${ICONS.retryMinutes} minute'`);

/** Stores what a look-up found, while the website and the claim are still its own. */
export function storeIcon(
  organizationId: string,
  lookup: { readonly website: string; readonly claim: string },
  image: FoundImage | undefined,
): Statement<{ stored: boolean }> {
  const found = image !== undefined;
  return sql`
    with own as (
      select case when ${found}::boolean then clock_timestamp() + ${FRESH}
        else clock_timestamp() + least(${FRESH}, ${RETRY} * power(2, least(i.failures, 10))) end as expires,
        case when ${found}::boolean then 0 else i.failures + 1 end as failures
      from organization_icon i join organization o on o.id = ${organizationId}
      where i.organization_id = ${organizationId} and i.website = ${lookup.website} and o.website = ${lookup.website}
        and i.lookup_until = ${lookup.claim}
      for no key update of i)
    update organization_icon i set status = ${found ? 'found' : 'none'}, media_type = ${image?.mediaType ?? null},
      bytes = ${image?.bytes ?? null}, sha256 = ${image?.sha256 ?? null}, expires_at = f.expires, failures = f.failures,
      lookup_until = null
    from own f where i.organization_id = ${organizationId}
    returning true as stored`;
}
