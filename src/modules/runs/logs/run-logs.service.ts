import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { Reads, type Shared, Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid, issueAt } from '../../../kernel/errors/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import type { AppendedLogsDto, AppendLogsDto, LogEntryDto, RunLogDto, RunLogListQuery } from './run-log.dto.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { type AppendCall, type Appended, appendLogs, lockLogs, logsOf, runExists } from './run-logs.queries.ts';
import { lockedRun } from '../leases/run-lease.queries.ts';

/** Appends to the logs of runs for workers, lists them for owners. */
@Injectable()
export class RunLogsService {
  private readonly appends: Shared<AppendCall, Appended>;

  constructor(
    private readonly reads: Reads,
    private readonly config: Config,
    transactions: Transactions,
  ) {
    this.appends = transactions.shared<AppendCall, Appended>(
      { keysOf: lockedRun, statements: (calls) => [lockLogs(calls), appendLogs(calls)] },
      RunErrors.leaseExpired,
    );
  }

  async append(runId: string, body: AppendLogsDto): Promise<AppendedLogsDto> {
    const { organizationId, leaseToken, entries } = body;
    refuseRepeats(entries);
    this.refuseTokens(entries, leaseToken);
    const appended = await this.appends.run({ organizationId, runId, tokenHash: sha256(leaseToken), entries });
    if (!appended) throw new ApiError(RunErrors.leaseExpired);
    const { differing, acceptedThrough, missing, cancelRequested } = appended;
    if (differing !== null) throw conflictAt(entries, differing);
    return { acceptedThrough, missing, cancelRequested };
  }

  /** Refuses tokens that have no form to tell them by: the deployment's own, and the run's. */
  private refuseTokens(entries: readonly LogEntryDto[], leaseToken: string): void {
    const secrets = leaseToken === '' ? this.config.tokens : [leaseToken, ...this.config.tokens];
    for (const [index, { label, detail }] of entries.entries())
      for (const [field, text] of Object.entries({ label, detail: detail ?? '' }))
        if (secrets.some((secret) => text.includes(secret)))
          throw invalid(`entries.${index}.${field}`, EdgeIssues.unsafeText, 'holds a token of this service or run');
  }

  list(owner: OwnerPrincipal, organizationId: string, id: string, query: RunLogListQuery): Promise<Page<RunLogDto>> {
    const list = logsOf(organizationId, id, query);
    return this.reads.listInOrganization(owner, organizationId, {
      statements: () => [runExists(organizationId, id), ...list.statements()],
      result([run, ...sets]) {
        if (run.length === 0) throw new ApiError(RunErrors.notFound);
        return list.result(sets);
      },
    });
  }
}

function refuseRepeats(entries: readonly LogEntryDto[]): void {
  const seen = new Set<number>();
  for (const [index, { sequence }] of entries.entries()) {
    if (seen.has(sequence))
      throw invalid(`entries.${index}.sequence`, EdgeIssues.duplicateItem, 'must not repeat a sequence');
    seen.add(sequence);
  }
}

function conflictAt(entries: readonly LogEntryDto[], sequence: number): ApiError {
  const path = `entries.${entries.findIndex((entry) => entry.sequence === sequence)}`;
  return new ApiError(EdgeErrors.stateConflict, {
    issues: [issueAt(path, RunIssues.sequenceConflict)],
  });
}
