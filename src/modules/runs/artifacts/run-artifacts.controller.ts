import type { Readable } from 'node:stream';
import { Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, Execution, type ExecutionPrincipal, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { BodyStream, type ByteAnswer, Endpoint } from '../../../kernel/http/index.ts';
import { ArtifactParams, RunArtifactParams, StoredArtifactDto } from './run-artifact.dto.ts';
import { MAX_ARTIFACT_BYTES } from './run-artifacts.queries.ts';
import { RunArtifactsService } from './run-artifacts.service.ts';
import { RunErrors } from '../run.errors.ts';

@ApiTags('runs')
@Controller('organizations/:organizationId/runs/:id/artifacts/:sha256')
export class RunArtifactsController {
  constructor(private readonly artifacts: RunArtifactsService) {}

  @Get()
  @Endpoint({
    summary: 'Read an artifact of a run',
    description:
      'For owners, and for the runs that see the artifact’s task, whose task depends on it, is its parent, or has the artifact as an input; to others there is no such artifact.',
    auth: ['owner', 'execution'],
    execution: { kinds: ['task_run'] },
    bytes: true,
    errors: [RunErrors.notFound, EdgeErrors.notFound],
  })
  read(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() { organizationId, id, sha256 }: RunArtifactParams,
  ): Promise<ByteAnswer> {
    return caller.kind === 'owner'
      ? this.artifacts.openForOwner(caller, organizationId, id, sha256)
      : this.artifacts.openForExecution(caller, id, sha256);
  }
}

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/artifacts/:sha256')
export class AgentArtifactsController {
  constructor(private readonly artifacts: RunArtifactsService) {}

  @Put()
  @Endpoint({
    summary: 'Store an artifact of the calling run',
    description:
      'At most 50 MB, and 100 artifacts a run. Bytes of another digest than the path names are refused; the same bytes again are answered as the first time.',
    auth: 'execution',
    execution: { kinds: ['task_run'] },
    raw: true,
    bodyLimitBytes: MAX_ARTIFACT_BYTES,
    returns: StoredArtifactDto,
    status: 201,
    message: 'Artifact stored',
    errors: [EdgeErrors.stateConflict, EdgeErrors.payloadTooLarge, EdgeErrors.unsupportedMediaType],
  })
  store(
    @Execution() execution: ExecutionPrincipal,
    @Param() { sha256 }: ArtifactParams,
    @BodyStream() body: Readable,
  ): Promise<StoredArtifactDto> {
    return this.artifacts.store(execution, sha256, body);
  }
}
