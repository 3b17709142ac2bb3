import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, mergeMap, type Observable, of } from 'rxjs';
import { answerBytes, answerPicture, type ByteAnswer, type Picture } from './bytes/index.ts';
import { endpointOf, operationIdOf } from './endpoint/index.ts';
import { EventStreams } from './sse/index.ts';
import {
  Existing,
  metaOf,
  type Pagination,
  ResponseSerializers,
  slicedJson,
  type SuccessEnvelope,
  Warned,
} from './envelope/index.ts';
import { refuseUnknownInput } from './unknown-input.ts';

/** What a list handler returns: `Page` of `kernel/pagination` has this shape. */
interface Paged {
  readonly items: readonly unknown[];
  readonly pagination: Pagination;
  readonly isLarge: boolean;
}

/**
 * Wraps what a handler returned in the success envelope and picks the route's compiled serialiser; bytes, text
 * and events are sent without an envelope.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly serializers: ResponseSerializers,
    private readonly streams: EventStreams,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const spec = endpointOf(context.getHandler());
    if (!spec) return next.handle();
    refuseUnknownInput(context, request);
    if (spec.bytes)
      return next.handle().pipe(mergeMap((answer: unknown) => answerBytes(answer as ByteAnswer, request, reply)));
    if (spec.picture)
      return next.handle().pipe(map((answer: unknown) => answerPicture(answer as Picture, request, reply)));
    if (spec.text) {
      void reply.type(spec.text.type).header('cache-control', 'no-store');
      return next.handle();
    }
    if (spec.events) return this.streams.serve(request, reply, next.handle());
    return next.handle().pipe(
      mergeMap((returned: unknown) => {
        const { data: result, warnings } =
          returned instanceof Warned ? returned : { data: returned, warnings: undefined };
        if (request.idempotent?.replayed) void reply.header('Idempotent-Replayed', 'true');
        const exists = result instanceof Existing;
        const status = exists ? 200 : (spec.status ?? 200);
        if (exists) void reply.status(status);
        const serializer = this.serializers.of(operationIdOf(context.getClass(), context.getHandler()), status);
        // Fastify sets no content type for an answer with its own serialiser.
        if (serializer) void reply.type('application/json; charset=utf-8').serializer(serializer);
        const answer: unknown = exists ? result.data : result;
        const { items, pagination } = spec.list ? (answer as Paged) : { items: answer, pagination: undefined };
        const envelope: SuccessEnvelope = {
          success: true,
          statusCode: status,
          message: (exists ? spec.existing : spec.message) ?? 'OK',
          data: items,
          ...(pagination ? { pagination } : {}),
          meta: { ...metaOf(request), ...(warnings ? { warnings } : {}) },
        };
        const isLarge = spec.list === true && serializer !== undefined && (answer as Paged).isLarge;
        return isLarge ? slicedJson({ ...envelope, data: items as unknown[] }, serializer) : of(envelope);
      }),
    );
  }
}
