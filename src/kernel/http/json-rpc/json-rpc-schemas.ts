import type { EndpointSpec } from '../endpoint/index.ts';

const MESSAGE = {
  type: 'object',
  required: ['jsonrpc'],
  properties: { jsonrpc: { type: 'string', const: '2.0' } },
} as const;
const ID = { type: ['string', 'integer'], description: 'Chosen by the client' } as const;
const METHOD = { type: 'string', description: 'Name of a method or notification' } as const;
const ANY = { type: 'object', additionalProperties: true } as const;

/** Schemas of the messages of `jsonRpc` routes. */
export const jsonRpcSchemas = () => ({
  JsonRpcRequest: {
    ...MESSAGE,
    required: ['jsonrpc', 'method'],
    properties: { ...MESSAGE.properties, id: ID, method: METHOD, params: ANY },
    additionalProperties: true,
  },
  JsonRpcResponse: {
    ...MESSAGE,
    required: ['jsonrpc', 'id'],
    properties: { ...MESSAGE.properties, id: ID, result: ANY, error: ANY },
    additionalProperties: true,
  },
  JsonRpcError: {
    ...MESSAGE,
    description: 'A refusal before any method ran, with the status of the refusal',
    required: ['jsonrpc', 'id', 'error'],
    properties: {
      ...MESSAGE.properties,
      id: { type: ['string', 'integer', 'null'], description: 'That of the request, as far as it was read' },
      error: {
        type: 'object',
        required: ['code', 'message', 'data'],
        properties: {
          code: { type: 'integer', example: -32000 },
          message: { type: 'string', description: 'For people; it may change' },
          data: {
            type: 'object',
            required: ['code'],
            properties: {
              code: { type: 'string', description: 'Stable snake_case word' },
              issues: { type: 'array', items: { $ref: '#/components/schemas/Issue' } },
            },
          },
        },
      },
    },
  },
});

/** The body of a `jsonRpc` route. */
export function jsonRpcBody({ jsonRpc }: Extract<EndpointSpec, { jsonRpc: object }>) {
  const schema = { $ref: '#/components/schemas/JsonRpcRequest' };
  return { required: true, content: { 'application/json': { schema, example: jsonRpc.request } } };
}

/** The success responses of a `jsonRpc` route. */
export function jsonRpcResponses({
  message,
  jsonRpc,
}: Extract<EndpointSpec, { jsonRpc: object }>): Record<string, object> {
  const schema = { $ref: '#/components/schemas/JsonRpcResponse' };
  return {
    200: {
      description: message ?? 'The answer to a request',
      content: { 'application/json': { schema, example: jsonRpc.response } },
    },
    202: { description: 'A notification was taken; there is no body', content: {} },
  };
}
