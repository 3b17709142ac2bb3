import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { databaseError } from '../database/index.ts';
import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import { replyWithError } from './edge/index.ts';
import { unauthorizedAt } from './endpoint/index.ts';

/** Turns everything that is thrown into the error envelope; what nobody foresaw is a 500, logged and told to no one. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error =
      knownError(exception, request) ?? this.passing(exception, request) ?? this.unforeseen(exception, request);
    // What fails behind the head of an answer can be told to the log only.
    if (!reply.sent && !reply.raw.headersSent) replyWithError(error, request, reply);
  }

  /** The database's trouble is passing, but somebody should see it. */
  private passing(exception: unknown, request: FastifyRequest): ApiError | undefined {
    const error = databaseError(exception);
    if (error?.row.status === EdgeErrors.serviceUnavailable.status)
      this.logger.warn(`request ${request.id}: ${(exception as Error).message}`);
    return error;
  }

  private unforeseen(exception: unknown, request: FastifyRequest): ApiError {
    const { method, url } = request.routeOptions;
    const stack = exception instanceof Error ? exception.stack : String(exception);
    // The route and not the address, which may hold a secret.
    this.logger.error(`${String(method)} ${url ?? ''} failed, request ${request.id}`, stack);
    return new ApiError(EdgeErrors.internalError);
  }
}

function knownError(exception: unknown, request: FastifyRequest): ApiError | undefined {
  if (exception instanceof ApiError) return exception;
  // The client went away in the middle of its body; nobody reads this answer.
  if (exception !== null && exception === request.raw.errored) return new ApiError(EdgeErrors.validationFailed);
  return errorOfStatus(statusOf(exception), request);
}

/** The status that Nest or Fastify meant; theirs is the only one trusted, other libraries put a peer's answer there. */
function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  if (!(exception instanceof Error) || !('code' in exception) || !('statusCode' in exception)) return undefined;
  const { code, statusCode } = exception;
  return String(code).startsWith('FST_') && typeof statusCode === 'number' ? statusCode : undefined;
}

/** Undefined for statuses that this API does not use, which only a mistake of ours can produce. */
function errorOfStatus(status: number | undefined, request: FastifyRequest): ApiError | undefined {
  if (status === undefined || status >= 500) return undefined;
  const { endpoint } = request.routeOptions.config;
  if (status === 401 && endpoint) return new ApiError(unauthorizedAt(request.routeOptions.url));
  if (status === 404 && request.is404) return new ApiError(EdgeErrors.routeNotFound);
  const row = ROW_OF_STATUS.get(status);
  if (row) return new ApiError(row);
  // What the page of the documents refuses, such as a dotted path below it, is nothing that is there.
  return endpoint ? undefined : new ApiError(EdgeErrors.routeNotFound);
}

/** Where a status has two rows the plainer one: 404 of a matched route is an entity's. */
const ROW_OF_STATUS: ReadonlyMap<number, ErrorRow> = new Map(
  Object.values(EdgeErrors)
    .filter((row) => row !== EdgeErrors.routeNotFound)
    .map((row) => [row.status, row]),
);
