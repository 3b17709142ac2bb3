/** Minutes within which every upload has ended: the edge gives it 30, and the store some seconds more. */
export const UPLOADS_END_MINUTES = 35;
