import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { AppendedLogsDto, AppendLogsDto } from './run-log.dto.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { RunLogsService } from './run-logs.service.ts';
import { RunParams } from '../run.dto.ts';
import { LostRunsService } from '../leases/lost-runs.service.ts';

@ApiTags('Internal Runs')
@UseInterceptors(LostRunsService)
@Controller('internal/runs/:runId/logs')
export class RunLogsRuntimeController {
  constructor(private readonly logs: RunLogsService) {}

  @Post()
  @Endpoint({
    operationId: 'runs.appendLogs',
    summary: 'Append to the log of a run',
    description:
      'At most 200 entries, with sequences from 1. An entry that is already stored is ignored. An entry that is stored with other content refuses the batch (409 `state_conflict`), and so does a bad entry (400, which names it). Send safe technical metadata only: no output of commands, no payloads of tools, no credentials. The service looks for these, and refuses them as `unsafe_text` with what it found: the service’s own tokens and the run’s lease token; `Bearer` and `Basic` with a value; signed tokens (`eyJ…`); keys that begin with `sk-`, `sk_live_`, `AKIA`, `ASIA`, `AIza`, `ghp_` and its kin, `github_pat_`, `glpat-`, `xox?-`, `npm_`, `pypi-`; PEM blocks; `scheme://user:password@`; and values behind names such as `password=`, `secret:`, `token=` or `api_key:`. The worker must keep out other secrets itself.',
    auth: 'service',
    // 200 entries of 2,200 characters, escaped as \u0000 where they are not ASCII.
    bodyLimitBytes: 3 * 1024 * 1024,
    returns: AppendedLogsDto,
    errors: [RunErrors.leaseExpired, withIssues(EdgeErrors.stateConflict, RunIssues.sequenceConflict)],
  })
  append(@Param() { runId }: RunParams, @Body() body: AppendLogsDto): Promise<AppendedLogsDto> {
    return this.logs.append(runId, body);
  }
}
