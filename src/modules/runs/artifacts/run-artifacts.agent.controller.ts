import type { Readable } from 'node:stream';
import { Controller, Param, Put } from '@nestjs/common';
import { RunIssues } from '../run.errors.ts';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { BodyStream, Endpoint } from '../../../kernel/http/index.ts';
import { ArtifactParams, StoredArtifactDto } from './run-artifact.dto.ts';
import { MAX_ARTIFACT_BYTES } from './run-artifacts.queries.ts';
import { RunArtifactsService } from './run-artifacts.service.ts';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/artifacts/:sha256')
export class RunArtifactsAgentController {
  constructor(private readonly artifacts: RunArtifactsService) {}

  @Put()
  @Endpoint({
    summary: 'Store an artifact of the calling run',
    description:
      'At most 50 MiB an artifact and 100 artifacts a run. Bytes with another digest than the path are refused. Storing the same bytes again gets the first answer.',
    auth: 'execution',
    execution: { kinds: ['task_run'] },
    raw: true,
    bodyLimitBytes: MAX_ARTIFACT_BYTES,
    returns: StoredArtifactDto,
    status: 201,
    message: 'Artifact stored',
    errors: [
      withIssues(EdgeErrors.validationFailed, EdgeIssues.digestMismatch),
      withIssues(EdgeErrors.stateConflict, RunIssues.tooManyArtifacts),
      EdgeErrors.payloadTooLarge,
      EdgeErrors.unsupportedMediaType,
    ],
  })
  store(
    @Execution() execution: ExecutionPrincipal,
    @Param() { sha256 }: ArtifactParams,
    @BodyStream() body: Readable,
  ): Promise<StoredArtifactDto> {
    return this.artifacts.store(execution, sha256, body);
  }
}
