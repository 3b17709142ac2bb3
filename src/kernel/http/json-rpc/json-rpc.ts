import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, EdgeErrors, EdgeIssues, type Issue } from '../../errors/index.ts';

/** What the handler of a `jsonRpc` route returns. */
export interface JsonRpcAnswer {
  readonly status: number;
  /** One message; none where there is nothing to say, as for a notification (202). */
  readonly body?: object | undefined;
}

/** A refusal before any method ran. */
export interface JsonRpcRefusal {
  readonly jsonrpc: '2.0';
  /** That of the request, as far as it was read. */
  readonly id: string | number | null;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data: { readonly code: string; readonly issues?: readonly Issue[] };
  };
}

/** The codes of JSON-RPC 2.0, and the first of those that servers may define. */
const CODES = { parseError: -32700, invalidRequest: -32600, internalError: -32603, refused: -32000 } as const;

/** Sets the status and returns what is sent. */
export function answerJsonRpc({ status, body }: JsonRpcAnswer, reply: FastifyReply): string {
  void reply.code(status);
  if (!body) return '';
  void reply.type('application/json; charset=utf-8');
  return JSON.stringify(body);
}

/** An error as a message; `code` is the word of it on this route. */
export function jsonRpcRefusal(error: ApiError, code: string, request?: Pick<FastifyRequest, 'body'>): JsonRpcRefusal {
  const { issues } = error;
  return {
    jsonrpc: '2.0',
    id: idOf(request?.body),
    error: {
      code: codeOf(error),
      message: error.message,
      data: { code, ...(issues && issues.length > 0 ? { issues } : {}) },
    },
  };
}

function codeOf({ row, issues }: ApiError): number {
  if (row.status >= 500) return CODES.internalError;
  if (row !== EdgeErrors.validationFailed) return CODES.refused;
  return issues?.[0]?.code === EdgeIssues.malformedJson.code ? CODES.parseError : CODES.invalidRequest;
}

function idOf(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('id' in body)) return null;
  const { id } = body;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
