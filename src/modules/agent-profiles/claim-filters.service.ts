import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { canonicalDigest } from '../../kernel/crypto/index.ts';
import { Transactions } from '../../kernel/database/index.ts';
import { EdgeIssues, type Issue, issueAt } from '../../kernel/errors/index.ts';
import { Warned } from '../../kernel/http/index.ts';
import { unknownNames } from './claim-filters.queries.ts';

/** How long a finding about filters holds, which workers repeat with each claim. */
const HOLDS_MS = 30_000;

interface Filters {
  readonly organizationIds?: readonly string[];
  readonly profileKeys?: readonly string[];
  readonly limit: number;
}

/**
 * Warns workers whose claims name what nobody has. The claim itself goes by what there is, and one that got all it asked
 * for does not wait for this look: it says what an earlier claim with the same filters found.
 */
@Injectable()
export class ClaimFiltersService {
  private readonly found = new LRUCache<string, Promise<readonly Issue[]>>({ max: 1_000, ttl: HOLDS_MS });

  constructor(private readonly transactions: Transactions) {}

  async warn<Item>({ organizationIds, profileKeys, limit }: Filters, items: Item[]): Promise<Item[] | Warned<Item[]>> {
    const names = { organizationIds: organizationIds ?? null, profileKeys: profileKeys ?? null };
    if (!names.organizationIds && !names.profileKeys) return items;
    const key = canonicalDigest(names);
    let looked = this.found.get(key);
    if (!looked && items.length >= limit) return items;
    if (!looked) {
      looked = this.look(names.organizationIds, names.profileKeys);
      this.found.set(key, looked);
    }
    try {
      const warnings = await looked;
      return warnings.length > 0 ? new Warned(items, warnings) : items;
    } catch {
      // The work is claimed: it is handed out without the warning.
      this.found.delete(key);
      return items;
    }
  }

  private async look(ids: readonly string[] | null, keys: readonly string[] | null): Promise<readonly Issue[]> {
    const [names] = await this.transactions.dispatchBatch([unknownNames(ids, keys)]);
    return names.map(({ filter, place }) => issueAt(`${filter}.${place}`, EdgeIssues.unknownReference, SAYS[filter]));
  }
}

const SAYS = {
  organizationIds: 'names no organization: there is none, or it was deleted',
  profileKeys: 'is the key of no agent profile that the claim could take work for',
} as const;
