/**
 * Guarantees: the OpenAPI 3.1 document is made from the running application, schemas from its classes and all else from
 * each route's `@Endpoint`, with an example of every answer and error; it needs no database.
 * Refuses: documents written by hand, and two handlers under one operation id.
 */
export { defineKind, type KindSchema } from './defined-kinds.ts';
export { buildDocument } from './document.ts';
