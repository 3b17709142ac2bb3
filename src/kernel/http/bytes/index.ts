/**
 * Guarantees: bytes are streamed in and out and never held; an answer is an attachment of exactly its type, whole or one
 * range of it, with its digest as a strong ETag.
 * Refuses: several ranges at once (answered whole), weak comparisons where a caller wants what it knew, and an object whose
 * length is not the recorded one.
 */
export { BodyStream } from './body-stream.ts';
export { answerBytes, type ByteAnswer } from './byte-answer.ts';
