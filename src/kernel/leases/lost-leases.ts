import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { sha256 } from '../crypto/index.ts';
import { ApiError, EdgeIssues, type ErrorRow, issueAt, type IssueRow } from '../errors/index.ts';
import type { LeaseDto } from './lease.dto.ts';

/** What became of a lease. Whoever never held it gets `unknown`, whatever there is under the ids that it names. */
export type LostLease = 'ended' | 'superseded' | 'unknown';

const ISSUES: Readonly<Record<LostLease, IssueRow>> = {
  ended: EdgeIssues.leaseEnded,
  superseded: EdgeIssues.leaseSuperseded,
  unknown: EdgeIssues.leaseUnknown,
};

/** A call whose lease does not hold. */
export interface LostCall {
  readonly organizationId: string;
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly tokenHash: Buffer;
}

/**
 * Says in the error of a lost lease what became of it. Looks only when a call has failed for its lease, so that no other
 * call pays for it; an answer without the issue is an answer all the same.
 */
export abstract class LostLeases implements NestInterceptor {
  constructor(private readonly expired: ErrorRow) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.row !== this.expired) throw error;
        throw await this.explained(error, context.switchToHttp().getRequest<FastifyRequest>());
      }),
    );
  }

  private async explained(error: ApiError, { params, body }: FastifyRequest): Promise<ApiError> {
    const { organizationId, leaseToken } = body as LeaseDto;
    try {
      const call = { organizationId, params: params as LostCall['params'], tokenHash: sha256(leaseToken) };
      return new ApiError(this.expired, { issues: [issueAt('leaseToken', ISSUES[await this.fateOf(call)])] });
    } catch {
      return error;
    }
  }

  /** What the token of a call still proves; looked up together for the calls that fail together. */
  protected abstract fateOf(call: LostCall): Promise<LostLease>;
}
