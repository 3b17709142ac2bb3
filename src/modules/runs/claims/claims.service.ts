import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { LeaseTokens, MAX_CLAIMS, WorkerSightings } from '../../../kernel/leases/index.ts';
import type { ClaimDto, ClaimedDto } from './claim.dto.ts';
import {
  type Claim,
  reissueClaims,
  type ClaimedRow,
  claimReady,
  lockRequestKey,
  type NothingClaimed,
  type Quota,
} from './claim.queries.ts';
import { WorkWaitersService } from './work-waiters.service.ts';

/** By itself the server plans each claim anew. (Measured over 10,000 queued requests: 1.4 ms to plan, 0.4 ms to run.) */
const PLANNED_ONCE = { plannedOnce: true } as const;
/** Further rounds of one call; each fills it or finds out which organizations have no more. */
const MAX_ROUNDS = 8;
/** How often a claim tries again that met others at the same organizations. */
const MAX_TIMES = 8;

interface Taken {
  /** Whether these are the items of an earlier answer to the same key. */
  readonly again: boolean;
  readonly items: ClaimedDto[];
  /** Whether other claims were taking what this one found. */
  readonly contended: boolean;
}

/** Hands ready work to workers. */
@Injectable()
export class ClaimsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly waiters: WorkWaitersService,
    private readonly workers: WorkerSightings,
    private readonly config: Config,
  ) {}

  /** Answers as soon as there is work, with nothing when the time is up; waits without a database connection. */
  claim(body: ClaimDto, gone: AbortSignal): Promise<ClaimedDto[]> {
    const claim = this.claimOf(body);
    const { organizationIds, profileKeys, modes, executionClasses } = claim;
    const filters = { organizationIds, profileKeys, modes, executionClasses };
    this.workers.claims(claim, { kind: 'runs', filters });
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
    const first = await this.firstRounds(claim, limit);
    if (first.again) return first.items;
    const items = [...first.items];
    // The first round took one of each organization, so that these are all that had any.
    let open = [...new Set(items.map(({ organizationId }) => organizationId))];
    for (let round = 0; round < MAX_ROUNDS && items.length < limit && open.length > 0; round += 1) {
      const quotas = quotasOf(limit - items.length, open);
      const tokens = new LeaseTokens(limit - items.length);
      const [rows] = await this.transactions.dispatchBatch([claimReady(claim, tokens.hashes, quotas)], PLANNED_ONCE);
      const { items: more, contended } = takenFrom(rows, tokens);
      if (contended) {
        await pause(round);
        continue;
      }
      items.push(...more);
      const givenBy = (id: string) => more.filter(({ organizationId }) => organizationId === id).length;
      open = quotas
        .filter((quota) => givenBy(quota.organizationId) >= quota.items)
        .map((quota) => quota.organizationId);
    }
    return items;
  }

  /** Tries again while others take what this claim found: the last places of an organization go to one claim at a time. */
  private async firstRounds(claim: Claim, limit: number): Promise<Taken> {
    let taken = await this.firstRound(claim, limit);
    for (let time = 0; taken.contended && time < MAX_TIMES; time += 1) {
      await pause(time);
      taken = await this.firstRound(claim, limit);
    }
    return taken;
  }

  /** One round trip: the items of an earlier answer to the same key, or one item of each organization. */
  private async firstRound(claim: Claim, limit: number): Promise<Taken> {
    const tokens = new LeaseTokens(limit);
    const fresh = claimReady(claim, tokens.hashes, undefined);
    if (claim.requestKey === null) {
      const [rows] = await this.transactions.dispatchBatch([fresh], PLANNED_ONCE);
      return takenFrom(rows, tokens);
    }
    // An earlier answer may have been longer.
    const tokensAgain = new LeaseTokens(MAX_CLAIMS);
    const [, held, rows] = await this.transactions.dispatchBatch(
      [lockRequestKey(claim.workerId, claim.requestKey), reissueClaims(claim, tokensAgain.hashes), fresh],
      PLANNED_ONCE,
    );
    if (held.length > 0) return { again: true, items: toClaimedItems(held, tokensAgain), contended: false };
    return takenFrom(rows, tokens);
  }
}

/** Lets other claims end, which take about 2 ms each: up to 2 ms, doubled each time. */
async function pause(time: number): Promise<void> {
  await wait(Math.random() * 2 ** (time + 1));
}

function takenFrom(rows: readonly (ClaimedRow | NothingClaimed)[], tokens: LeaseTokens): Taken {
  const contended = rows.some((row) => !isClaimed(row) && row.contended);
  return { again: false, items: toClaimedItems(rows.filter(isClaimed), tokens), contended };
}

function isClaimed(row: ClaimedRow | NothingClaimed): row is ClaimedRow {
  return row.place !== null;
}

function toClaimedItems(rows: readonly ClaimedRow[], tokens: LeaseTokens): ClaimedDto[] {
  return tokens.givenTo(rows).map(toClaimed);
}

function toClaimed({ row, leaseToken }: { row: ClaimedRow; leaseToken: string }): ClaimedDto {
  const { organizationId, runRequestId, taskId, agentProfileId, mode, priority, claimExpiresAt } = row;
  return { organizationId, runRequestId, taskId, agentProfileId, mode, priority, leaseToken, claimExpiresAt };
}

/** Spreads items evenly over organizations; the first get what does not divide. */
export function quotasOf(items: number, organizationIds: readonly string[]): Quota[] {
  const each = Math.floor(items / organizationIds.length);
  const left = items % organizationIds.length;
  return organizationIds
    .map((organizationId, index) => ({ organizationId, items: each + (index < left ? 1 : 0) }))
    .filter((quota) => quota.items > 0);
}
