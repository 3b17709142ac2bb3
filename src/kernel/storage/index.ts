/**
 * Guarantees: bytes pass a SHA-256 and a size limit as a stream; an acknowledged upload is durable and complete, a
 * refused or interrupted one leaves nothing behind.
 * Refuses: keys that could name anything outside the store, and holding a whole object in memory.
 */
export { asDeclared } from './declared-content.ts';
export { MEDIA_TYPES, mediaTypeOf, type MediaType } from './media-types.ts';
export { type ByteRange, ObjectStore, type OpenedBytes, type StoredBytes, type UploadLimits } from './object-store.ts';
export { rehearse } from './rehearsal.ts';
export { makeStore, StorageModule } from './storage.module.ts';
