import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { type Execute, Reads, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, issueAt } from '../../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../../kernel/http/index.ts';
import { ObjectStore } from '../../../kernel/storage/index.ts';
import type { StoredArtifactDto } from './run-artifact.dto.ts';
import {
  artifactForExecution,
  artifactForOwner,
  artifactOf,
  isFull,
  lockArtifacts,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACTS,
  noteArtifact,
} from './run-artifacts.queries.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';

/** Stores the bytes that live runs deliver; opens them for owners and for the runs that build on them. */
@Injectable()
export class RunArtifactsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * Asks whether the run lives before the body is read, and again, with the run locked, when the artifact is noted:
   * bytes that were still arriving when the run ended are dropped.
   */
  async store(execution: ExecutionPrincipal, sha256: string, body: Readable): Promise<StoredArtifactDto> {
    const { organizationId, executionId } = execution;
    await this.admit(execution, sha256, body);
    const key = keyOf(organizationId, executionId, sha256);
    const { sizeBytes } = await this.objects.put(key, body, { maxBytes: MAX_ARTIFACT_BYTES, sha256 });
    try {
      return await this.transactions.through(this.executions.access(execution), async (tx) => {
        await tx.rows(lockArtifacts(executionId));
        await this.executions.hold(tx, execution);
        await refuseFull(tx.rows, execution, sha256);
        await tx.rows(noteArtifact(organizationId, executionId, sha256, sizeBytes));
        return (await tx.rows(artifactOf(organizationId, executionId, sha256)))[0]!;
      });
    } catch (error) {
      // A run that is over or full stays so, so no later call notes these bytes. Bytes that were noted before stay.
      if (error instanceof ApiError && error.row.status === 409) await this.dropUnnoted(execution, sha256, key);
      throw error;
    }
  }

  async openForOwner(
    owner: OwnerPrincipal,
    organizationId: string,
    runId: string,
    sha256: string,
  ): Promise<ByteAnswer> {
    const query = artifactForOwner(organizationId, runId, sha256);
    const [found] = await this.reads.inOrganization(owner, organizationId, query);
    if (!found) throw new ApiError(RunErrors.notFound);
    return this.answer(organizationId, runId, sha256, found.sizeBytes);
  }

  async openForExecution(execution: ExecutionPrincipal, runId: string, sha256: string): Promise<ByteAnswer> {
    const query = artifactForExecution(execution, runId, sha256);
    const [found] = await this.reads.through(this.executions.access(execution), query);
    return this.answer(execution.organizationId, runId, sha256, found?.sizeBytes ?? null);
  }

  private answer(organizationId: string, runId: string, sha256: string, sizeBytes: number | null): ByteAnswer {
    if (sizeBytes === null) throw new ApiError(EdgeErrors.notFound);
    const key = keyOf(organizationId, runId, sha256);
    return {
      sizeBytes,
      sha256,
      mediaType: 'application/octet-stream',
      fileName: sha256,
      open: (range) => this.objects.open(key, range),
    };
  }

  /** Refuses before the body is read, and drops the body, so that the answer arrives. */
  private async admit(execution: ExecutionPrincipal, sha256: string, body: Readable): Promise<void> {
    try {
      const access = this.executions.access(execution);
      await refuseFull((query) => this.reads.through(access, query), execution, sha256);
    } catch (error) {
      body.resume();
      throw error;
    }
  }

  /** Deletes bytes without a row. Where the organization is gone, its purge deletes them. */
  private async dropUnnoted({ organizationId, executionId }: ExecutionPrincipal, sha256: string, key: string) {
    const access = activeAccess(organizationId, EdgeErrors.stateConflict);
    const [noted] = await this.reads.through(access, artifactOf(organizationId, executionId, sha256));
    if (!noted) await this.objects.delete(key);
  }
}

async function refuseFull(execute: Execute, { organizationId, executionId }: ExecutionPrincipal, sha256: string) {
  const [run] = await execute(isFull(organizationId, executionId, sha256));
  if (!run!.full) return;
  const message = `A run stores at most ${MAX_ARTIFACTS} artifacts.`;
  const issues = [issueAt('sha256', RunIssues.tooManyArtifacts, message)];
  throw new ApiError(EdgeErrors.stateConflict, { message, issues });
}

function keyOf(organizationId: string, runId: string, sha256: string): string {
  return `organizations/${organizationId}/runs/${runId}/artifacts/${sha256}`;
}
