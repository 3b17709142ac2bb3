export const MAX_ATTACHMENT_BYTES = 50 * 1024 * 1024;

/** Since its beginning an upload has ended: the edge gives a request five minutes, and the store some seconds more. */
export const UPLOADS_END_MINUTES = 10;
