import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import type { Picture } from '../../../kernel/http/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { IconLookupService } from './icon-lookup.service.ts';
import { ICONS } from './icon.policy.ts';
import { claimLookup, type FoundImage, iconOf, type IconRow, noteIcon, storeIcon } from './icon.queries.ts';

type Known = IconRow & { readonly website: string };

/** The icon of an organization: what all replicas know of it, or one look-up for all of them. */
@Injectable()
export class OrganizationIconService implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  /** Of this process, by organization and website: callers that come meanwhile wait for the same. */
  private readonly pending = new Map<string, Promise<FoundImage | undefined>>();

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly lookup: IconLookupService,
  ) {}

  async read(owner: OwnerPrincipal, organizationId: string): Promise<Picture> {
    const [row] = await this.reads.inOrganization(owner, organizationId, iconOf(organizationId));
    if (!row) throw new ApiError(EdgeErrors.organizationNotFound);
    const { website } = row;
    if (website === null) return pictureOf(undefined);
    const known = imageIn(row);
    if (row.isFresh || (known && row.isLookedFor)) return pictureOf(known);
    return pictureOf(await this.shared(organizationId, { ...row, website }));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.pending.values());
  }

  private shared(organizationId: string, row: Known): Promise<FoundImage | undefined> {
    const key = `${organizationId} ${row.website}`;
    const running = this.pending.get(key) ?? this.looked(organizationId, row).finally(() => this.pending.delete(key));
    this.pending.set(key, running);
    return running;
  }

  private async looked(organizationId: string, row: Known): Promise<FoundImage | undefined> {
    const { website, blockedDomains } = row;
    const access = standingAccess(organizationId, EdgeErrors.organizationNotFound);
    const [, claimed] = await this.transactions.batch(access, [
      noteIcon(organizationId, website),
      claimLookup(organizationId, website),
    ]);
    const claim = claimed[0]?.claim;
    // Somebody else looks, or has looked meanwhile.
    if (claim === undefined) return imageIn(row) ?? this.awaited(organizationId, website);
    const image = await this.lookup.find({ organizationId, website, blockedDomains }, this.stopping.signal);
    if (this.stopping.signal.aborted) return imageIn(row);
    await this.transactions.batch(access, [storeIcon(organizationId, { website, claim }, image)]);
    return image;
  }

  /** What somebody else's look-up finds, if it ends in time. */
  private async awaited(organizationId: string, website: string): Promise<FoundImage | undefined> {
    const access = standingAccess(organizationId, EdgeErrors.organizationNotFound);
    for (const end = performance.now() + ICONS.waitMs; performance.now() < end;) {
      const [row] = await this.reads.through(access, iconOf(organizationId));
      if (row?.website !== website) return undefined;
      if (row.isFresh || !row.isLookedFor) return imageIn(row);
      await wait(ICONS.pollMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return undefined;
    }
    return undefined;
  }
}

function imageIn({ status, mediaType, bytes, sha256 }: IconRow): FoundImage | undefined {
  return status === 'found' ? { mediaType: mediaType!, bytes: bytes!, sha256: sha256! } : undefined;
}

function pictureOf(image: FoundImage | undefined): Picture {
  return { image, maxAgeSeconds: image ? ICONS.foundMaxAge : ICONS.noneMaxAge };
}
