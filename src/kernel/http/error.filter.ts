import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { databaseError } from '../database/index.ts';
import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import { replyWithError } from './edge/index.ts';
import { unauthorizedAt } from './endpoint/index.ts';

/**
 * Turns everything that is thrown into the error envelope; an unexpected error is logged and answered 500 without
 * details.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error =
      knownError(exception, request) ?? this.passing(exception, request) ?? this.unforeseen(exception, request);
    // A failure after the head of an answer was sent can only be logged.
    if (!reply.sent && !reply.raw.headersSent) replyWithError(error, request, reply);
  }

  /** The error for a passing failure of the database, which is logged so that operators see it. */
  private passing(exception: unknown, request: FastifyRequest): ApiError | undefined {
    const error = databaseError(exception);
    if (error?.row.status === EdgeErrors.serviceUnavailable.status)
      this.logger.warn(`request ${request.id}: ${(exception as Error).message}`);
    return error;
  }

  private unforeseen(exception: unknown, request: FastifyRequest): ApiError {
    const { method, url } = request.routeOptions;
    const stack = exception instanceof Error ? exception.stack : String(exception);
    // Logs the route and not the URL, which may hold a secret.
    this.logger.error(`${String(method)} ${url ?? ''} failed, request ${request.id}`, stack);
    return new ApiError(EdgeErrors.internalError);
  }
}

function knownError(exception: unknown, request: FastifyRequest): ApiError | undefined {
  if (exception instanceof ApiError) return exception;
  // The client disconnected while it sent its body, so this answer is never read.
  if (exception !== null && exception === request.raw.errored) return new ApiError(EdgeErrors.validationFailed);
  return errorOfStatus(statusOf(exception), request);
}

/**
 * The status that Nest or Fastify meant. Others are not trusted: libraries put the status of a remote service there.
 */
function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  if (!(exception instanceof Error) || !('code' in exception) || !('statusCode' in exception)) return undefined;
  const { code, statusCode } = exception;
  return String(code).startsWith('FST_') && typeof statusCode === 'number' ? statusCode : undefined;
}

/** The error of a status; undefined for statuses that this API does not use, which only a bug of ours can produce. */
function errorOfStatus(status: number | undefined, request: FastifyRequest): ApiError | undefined {
  if (status === undefined || status >= 500) return undefined;
  const { endpoint } = request.routeOptions.config;
  if (status === 401 && endpoint) return new ApiError(unauthorizedAt(request.routeOptions.url));
  if (status === 404 && request.is404) return new ApiError(EdgeErrors.routeNotFound);
  const row = ROW_OF_STATUS.get(status);
  if (row) return new ApiError(row);
  // The documents page refuses some paths below it, such as dotted ones; they are routes that do not exist.
  return endpoint ? undefined : new ApiError(EdgeErrors.routeNotFound);
}

/** One row per status. Of the two for 404 it is `notFound`, because a matched route misses an entity. */
const ROW_OF_STATUS: ReadonlyMap<number, ErrorRow> = new Map(
  Object.values(EdgeErrors)
    .filter((row) => row !== EdgeErrors.routeNotFound)
    .map((row) => [row.status, row]),
);
