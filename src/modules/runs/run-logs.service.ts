import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { activeEntry, Reads, Transactions } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, invalid } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import type { AppendedLogsDto, AppendLogsDto, LogEntryDto, RunLogDto, RunLogListQuery } from './run-log.dto.ts';
import { RunErrors } from './run.errors.ts';
import {
  type Appended,
  appendLogs,
  lockLog,
  type LogProgress,
  logProgress,
  logsOf,
  runExists,
} from './run-logs.queries.ts';

/** Logs of runs: workers append, owners read. */
@Injectable()
export class RunLogsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
  ) {}

  /** One round trip. */
  async append(runId: string, body: AppendLogsDto): Promise<AppendedLogsDto> {
    refuseRepeats(body.entries);
    const { organizationId } = body;
    const [, [appended], [progress]] = (await this.transactions.batch(
      activeEntry(organizationId, RunErrors.leaseExpired),
      [lockLog(runId), appendLogs(runId, body), logProgress(organizationId, runId)],
    )) as [unknown[], [Appended], [LogProgress]];
    if (!appended.live) throw new ApiError(RunErrors.leaseExpired);
    if (appended.differing !== null) throw conflictAt(body.entries, appended.differing);
    return progress;
  }

  list(owner: OwnerPrincipal, organizationId: string, id: string, query: RunLogListQuery): Promise<Page<RunLogDto>> {
    const list = logsOf(organizationId, id, query);
    return this.reads.listInOrganization(owner.subject, organizationId, {
      statements: () => [runExists(organizationId, id), ...list.statements()],
      result([run = [], ...sets]) {
        if (run.length === 0) throw new ApiError(RunErrors.notFound);
        return list.result(sets);
      },
    });
  }
}

function refuseRepeats(entries: readonly LogEntryDto[]): void {
  const seen = new Set<number>();
  for (const [index, { sequence }] of entries.entries()) {
    if (seen.has(sequence)) throw invalid(`entries.${index}.sequence`, 'duplicate_item', 'must not repeat a sequence');
    seen.add(sequence);
  }
}

function conflictAt(entries: readonly LogEntryDto[], sequence: number): ApiError {
  const path = `entries.${entries.findIndex((entry) => entry.sequence === sequence)}`;
  return new ApiError(EdgeErrors.stateConflict, {
    issues: [{ path, code: 'sequence_conflict', message: 'is stored with other content' }],
  });
}
