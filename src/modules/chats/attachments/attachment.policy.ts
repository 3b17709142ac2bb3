export const MAX_ATTACHMENT_BYTES = 50 * 1024 * 1024;

/** Minutes within which every upload has ended: the edge gives it 30, and the store some seconds more. */
export const UPLOADS_END_MINUTES = 35;
