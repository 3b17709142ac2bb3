/**
 * Guarantees: every JSON answer, success or error, has one shape, and carries only what its documented schema declares.
 * Refuses: an answer that lacks what its schema requires, and schemas that no discriminator tells apart.
 */
export { Accepted } from './accepted.ts';
export { codeOf, errorEnvelope, metaOf, type Pagination, type SuccessEnvelope } from './envelope.ts';
export { Existing } from './existing.ts';
export { ResponseSerializers } from './response-serializers.ts';
export { Warned } from './warned.ts';
export { Written } from './written.ts';
export { slicedJson } from './sliced-json.ts';
