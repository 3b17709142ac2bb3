/**
 * Bytes of a client on their way to a row that keeps them.
 *
 * Guarantees: bytes are noted before the first of them is stored, under an object key that no other upload has; the
 * note goes in the transaction that makes a row keep them. So what a process leaves that dies over an upload is found
 * and removed, and a repeat cannot replace bytes that a row has.
 * Refuses: to keep an upload that was given up.
 */
export { uploadNote } from './upload-note.ts';
export { type Upload, UPLOAD_TIME, UploadNotes } from './upload-notes.queries.ts';
export { Uploads } from './uploads.ts';
export { UploadsModule } from './uploads.module.ts';
