import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { Written } from '../../../kernel/http/index.ts';
import { InsightErrors, InsightIssues } from '../insight.errors.ts';
import type { Asker } from '../query/askers.service.ts';
import { StandingService } from '../query/standing.service.ts';
import { receiptById } from './receipts.queries.ts';

const decompress = promisify(gunzip);

/** Answers again what was answered, byte for byte, while the organization stands by all of its sources. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly reads: Reads,
    private readonly standings: StandingService,
  ) {}

  async read(asker: Asker, receiptId: string): Promise<Written> {
    const { sources } = await this.standings.of(asker);
    const [receipt] = await this.reads.through(asker.againAccess, receiptById(asker.organizationId, receiptId));
    if (!receipt) throw new ApiError(InsightErrors.receiptNotFound);
    const connected = new Set(sources.filter((source) => source.connected).map(({ id }) => id));
    const withdrawn = receipt.sourceIds.filter((id) => !connected.has(id));
    if (withdrawn.length > 0)
      throw new ApiError(InsightErrors.conflict, {
        issues: withdrawn.map((id) =>
          issueAt('receiptId', InsightIssues.sourceUnavailable, `stands on ${id}, which ${WITHDRAWN}`),
        ),
      });
    return new Written(await decompress(receipt.answer), receipt.restatedAt);
  }
}

const WITHDRAWN = 'the organization does not stand by any more: its connector was changed or withdrawn';
