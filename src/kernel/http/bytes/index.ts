/**
 * Guarantees: bytes are streamed in and out and never held in memory whole; an answer is an attachment of exactly its
 * type, the whole file or one range of it, with its digest as a strong ETag.
 * Refuses: several ranges at once (answered with the whole file), weak tags in `If-Match`, and an object whose length
 * is not the recorded one.
 */
export { BodyStream } from './body-stream.ts';
export { answerBytes, type ByteAnswer } from './byte-answer.ts';
export { answerStream, type StreamedAnswer } from './streamed-answer.ts';
export { answerPicture, type Picture, PICTURE_TYPES } from './picture.ts';
