export const MAX_ATTACHMENT_BYTES = 50 * 1024 * 1024;

/** Since its beginning an upload has ended: the edge gives it half an hour, and the store some seconds more. */
export const UPLOADS_END_MINUTES = 35;
