import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EdgeErrors } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { RunParams } from './run-completion.dto.ts';
import { AppendedLogsDto, AppendLogsDto } from './run-log.dto.ts';
import { RunErrors } from './run.errors.ts';
import { RunLogsService } from './run-logs.service.ts';

@ApiTags('Internal Runs')
@Controller('internal/runs/:runId/logs')
export class RunLogsRuntimeController {
  constructor(private readonly logs: RunLogsService) {}

  @Post()
  @Endpoint({
    summary: 'Append to the log of a run',
    description:
      'At most 200 entries. An entry that is stored already is ignored, one that is stored with other content refuses the batch (409 `state_conflict`), as does one bad entry (400). Safe technical metadata only: no output of commands, no payloads of tools, no credentials.',
    auth: 'service',
    // 200 entries of 2,200 characters, escaped as \u0000 where they are not ASCII.
    bodyLimitBytes: 3 * 1024 * 1024,
    returns: AppendedLogsDto,
    errors: [RunErrors.leaseExpired, EdgeErrors.stateConflict],
  })
  append(@Param() { runId }: RunParams, @Body() body: AppendLogsDto): Promise<AppendedLogsDto> {
    return this.logs.append(runId, body);
  }
}
