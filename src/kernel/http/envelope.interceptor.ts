import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, mergeMap, type Observable, of } from 'rxjs';
import {
  answerBytes,
  answerPicture,
  answerStream,
  type ByteAnswer,
  type Picture,
  type StreamedAnswer,
} from './bytes/index.ts';
import { endpointOf, operationIdOf } from './endpoint/index.ts';
import { answerJsonRpc, type JsonRpcAnswer } from './json-rpc/index.ts';
import { answerPage, type Page } from './pages/index.ts';
import { EventStreams } from './sse/index.ts';
import {
  Accepted,
  Existing,
  metaOf,
  type Pagination,
  ResponseSerializers,
  slicedJson,
  type SuccessEnvelope,
  Warned,
  Written,
} from './envelope/index.ts';
import { refuseUnknownInput } from './unknown-input.ts';

/** What a list handler returns: `Page` of `kernel/pagination` has this shape. */
interface Paged {
  readonly items: readonly unknown[];
  readonly pagination: Pagination;
  readonly isLarge: boolean;
}

/**
 * Wraps what a handler returned in the success envelope and picks the route's compiled serialiser; bytes, text,
 * events, pages, documents and JSON-RPC are sent without an envelope.
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
    if (spec.stream) return next.handle().pipe(map((answer: unknown) => answerStream(answer as StreamedAnswer, reply)));
    if (spec.text) {
      void reply.type(spec.text.type).header('cache-control', 'no-store');
      return next.handle();
    }
    if (spec.page) return next.handle().pipe(map((answer: unknown) => answerPage(answer as Page, reply)));
    if (spec.jsonRpc)
      return next.handle().pipe(map((answer: unknown) => answerJsonRpc(answer as JsonRpcAnswer, reply)));
    if (spec.document) {
      const { maxAgeSeconds } = spec.document;
      return next.handle().pipe(
        map((answer: unknown) => {
          void reply.header('cache-control', `public, max-age=${maxAgeSeconds}`);
          this.serializeAs(context, spec.status ?? 200, reply);
          return answer;
        }),
      );
    }
    if (spec.events) return this.streams.serve(request, reply, next.handle());
    return next.handle().pipe(
      mergeMap((returned: unknown) => {
        if (returned instanceof Written) {
          void reply.type('application/json; charset=utf-8');
          return of(returned.envelope(spec.status ?? 200, spec.message ?? 'OK', metaOf(request)));
        }
        const { data: result, warnings } =
          returned instanceof Warned ? returned : { data: returned, warnings: undefined };
        if (request.idempotent?.replayed) void reply.header('Idempotent-Replayed', 'true');
        const exists = result instanceof Existing;
        const pending = result instanceof Accepted;
        const status = exists ? 200 : pending ? 202 : (spec.status ?? 200);
        if (exists || pending) void reply.status(status);
        const serializer = this.serializeAs(context, status, reply);
        const answer: unknown = exists || pending ? result.data : result;
        const { items, pagination } = spec.list ? (answer as Paged) : { items: answer, pagination: undefined };
        const envelope: SuccessEnvelope = {
          success: true,
          statusCode: status,
          message: (exists ? spec.existing : pending ? spec.accepted : spec.message) ?? 'OK',
          data: items,
          ...(pagination ? { pagination } : {}),
          meta: { ...metaOf(request), ...(warnings ? { warnings } : {}) },
        };
        const isLarge = spec.list === true && serializer !== undefined && (answer as Paged).isLarge;
        return isLarge ? slicedJson({ ...envelope, data: items as unknown[] }, serializer) : of(envelope);
      }),
    );
  }

  /** Gives the answer the serialiser of the route and status, if it has one. */
  private serializeAs(context: ExecutionContext, status: number, reply: FastifyReply) {
    const serializer = this.serializers.of(operationIdOf(context.getClass(), context.getHandler()), status);
    // Fastify sets no content type for an answer with its own serialiser.
    if (serializer) void reply.type('application/json; charset=utf-8').serializer(serializer);
    return serializer;
  }
}
