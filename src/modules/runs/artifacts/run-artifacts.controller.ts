import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type ExecutionPrincipal, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { type ByteAnswer, Endpoint } from '../../../kernel/http/index.ts';
import { RunArtifactParams } from './run-artifact.dto.ts';
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
      'For owners, chat turns, and runs that may see the artifact’s task, or whose own task depends on it, is its parent, or has the artifact as an input. Other runs get 404.',
    auth: ['owner', 'execution'],
    scope: 'read',
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
