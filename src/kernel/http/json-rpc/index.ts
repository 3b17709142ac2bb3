/**
 * Guarantees: what refuses a call before a method runs keeps its status and is a JSON-RPC error that names its code and
 * issues, with the id of the request where that was read.
 * Refuses: methods, and what their errors are; those are the route's.
 */
export { answerJsonRpc, type JsonRpcAnswer, jsonRpcRefusal } from './json-rpc.ts';
export { jsonRpcBody, jsonRpcResponses, jsonRpcSchemas } from './json-rpc-schemas.ts';
