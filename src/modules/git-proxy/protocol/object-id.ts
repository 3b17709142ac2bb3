const OBJECT_ID = /^[0-9a-f]{40}$/;
/** Stands for no object: the old one of a creation, the new one of a deletion. */
export const NO_OBJECT = '0'.repeat(40);

/** Whether a text is the SHA-1 of an object as Git writes it. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}
