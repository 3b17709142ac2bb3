import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { LeaseTokens, MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import type { ClaimDto, ClaimedDto } from './claim.dto.ts';
import { type Claim, reissueClaims, type ClaimedRow, claimReady, lockRequestKey, type Quota } from './claim.queries.ts';
import { WorkWaitersService } from './work-waiters.service.ts';

/** By itself the server plans each claim anew. (Measured over 10,000 queued requests: 1.4 ms to plan, 0.4 ms to run.) */
const PLANNED_ONCE = { plannedOnce: true } as const;
/** Further rounds of one call; each fills it or finds out which organizations have no more. */
const MAX_ROUNDS = 8;

/** Hands ready work to workers. */
@Injectable()
export class ClaimsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly waiters: WorkWaitersService,
    private readonly config: Config,
  ) {}

  /** Answers as soon as there is work, with nothing when the time is up; waits without a database connection. */
  claim(body: ClaimDto, gone: AbortSignal): Promise<ClaimedDto[]> {
    const claim = this.claimOf(body);
    const { organizationIds, profileKeys, modes, executionClasses } = claim;
    const narrow = [profileKeys, modes, executionClasses].some((filter) => filter !== null);
    return this.waiters.take(
      { organizationIds, narrow },
      { waitSeconds: body.waitSeconds, gone },
      () => this.take(claim, body.limit),
      ({ organizationId }) => organizationId,
    );
  }

  private claimOf(body: ClaimDto): Claim {
    return {
      workerId: body.workerId,
      bootId: body.bootId,
      requestKey: body.requestKey ?? null,
      leaseSeconds: this.config.runs.claimLeaseSeconds,
      organizationIds: body.organizationIds?.map((id) => id.toLowerCase()) ?? null,
      profileKeys: body.profileKeys ?? null,
      modes: body.modes ?? null,
      executionClasses: body.executionClasses ?? null,
    };
  }

  private async take(claim: Claim, limit: number): Promise<ClaimedDto[]> {
    const first = await this.firstRound(claim, limit);
    if (first.again) return first.items;
    const items = [...first.items];
    // The first round took one of each organization, so that these are all that had any.
    let open = [...new Set(items.map(({ organizationId }) => organizationId))];
    for (let round = 0; round < MAX_ROUNDS && items.length < limit && open.length > 0; round += 1) {
      const quotas = quotasOf(limit - items.length, open);
      const tokens = new LeaseTokens(limit - items.length);
      const [rows] = await this.transactions.dispatchBatch([claimReady(claim, tokens.hashes, quotas)], PLANNED_ONCE);
      const more = toClaimedItems(rows, tokens);
      items.push(...more);
      const givenBy = (id: string) => more.filter(({ organizationId }) => organizationId === id).length;
      open = quotas
        .filter((quota) => givenBy(quota.organizationId) >= quota.items)
        .map((quota) => quota.organizationId);
    }
    return items;
  }

  /** One round trip: the items of an earlier answer to the same key, or one item of each organization. */
  private async firstRound(claim: Claim, limit: number): Promise<{ again: boolean; items: ClaimedDto[] }> {
    const tokens = new LeaseTokens(limit);
    const fresh = claimReady(claim, tokens.hashes, undefined);
    if (claim.requestKey === null) {
      const [rows] = await this.transactions.dispatchBatch([fresh], PLANNED_ONCE);
      return { again: false, items: toClaimedItems(rows, tokens) };
    }
    // An earlier answer may have been longer.
    const tokensAgain = new LeaseTokens(MAX_CLAIMS);
    const [, held, rows] = await this.transactions.dispatchBatch(
      [lockRequestKey(claim.workerId, claim.requestKey), reissueClaims(claim, tokensAgain.hashes), fresh],
      PLANNED_ONCE,
    );
    if (held.length > 0) return { again: true, items: toClaimedItems(held, tokensAgain) };
    return { again: false, items: toClaimedItems(rows, tokens) };
  }
}

function toClaimedItems(rows: readonly ClaimedRow[], tokens: LeaseTokens): ClaimedDto[] {
  return tokens.givenTo(rows).map(toClaimed);
}

function toClaimed({ row, leaseToken }: { row: ClaimedRow; leaseToken: string }): ClaimedDto {
  const { place: _place, ...item } = row;
  return { ...item, leaseToken };
}

/** Spreads items evenly over organizations; the first get what does not divide. */
export function quotasOf(items: number, organizationIds: readonly string[]): Quota[] {
  const each = Math.floor(items / organizationIds.length);
  const left = items % organizationIds.length;
  return organizationIds
    .map((organizationId, index) => ({ organizationId, items: each + (index < left ? 1 : 0) }))
    .filter((quota) => quota.items > 0);
}
