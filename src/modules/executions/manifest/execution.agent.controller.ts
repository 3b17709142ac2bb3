import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { INVALID_TASK, TaskErrors } from '../../tasks/index.ts';
import { Execution, type ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint, RawBody } from '../../../kernel/http/index.ts';
import { ManifestDto } from './manifest.dto.ts';
import { ExecutionManifestService } from './execution-manifest.service.ts';
import {
  OutcomeStagingService,
  RunIssues,
  StagedOutcomeDto,
  StageOutcomeDto,
  StageOutcomeQuery,
} from '../../runs/index.ts';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/execution')
export class ExecutionAgentController {
  constructor(
    private readonly manifest: ExecutionManifestService,
    private readonly outcomes: OutcomeStagingService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Read the manifest of the calling execution',
    description:
      'Organization and profile with the instructions of the catalog revision of its start; for a run its task, what it depends on and its children with their results, earlier attempts, what is left of the budget; for a chat turn the chat, its latest messages and attachments. At most 1 MiB.',
    auth: 'execution',
    returns: ManifestDto,
  })
  read(@Execution() execution: ExecutionPrincipal): Promise<ManifestDto> {
    return this.manifest.read(execution);
  }

  @Put('outcome')
  @Endpoint({
    summary: 'Stage the outcome of the calling run',
    description:
      'What the run’s completion will do: `planned`, `handoff`, `verification` or `learning`, each in the modes that permit it. Validated at once, replaceable until the run completes; the same outcome again keeps its id.',
    auth: 'execution',
    execution: { kinds: ['task_run'] },
    returns: StagedOutcomeDto,
    errors: [
      withIssues(INVALID_TASK, EdgeIssues.unsafeText, RunIssues.sourceRequired, RunIssues.pathMismatch),
      withIssues(
        EdgeErrors.stateConflict,
        ...TaskErrors.planRefused.issues,
        RunIssues.outcomeNotPermitted,
        RunIssues.memoryRevisionStale,
        RunIssues.watermarkBackwards,
      ),
    ],
  })
  stage(
    @Execution() execution: ExecutionPrincipal,
    @Query() { dryRun }: StageOutcomeQuery,
    @Body() body: StageOutcomeDto,
    @RawBody() raw: unknown,
  ): Promise<StagedOutcomeDto> {
    return this.outcomes.stage(execution, body, raw, dryRun);
  }
}
