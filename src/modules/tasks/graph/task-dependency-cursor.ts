import { type CursorCodec, invalidCursor } from '../../../kernel/pagination/index.ts';
import { isUuid } from '../../../kernel/validation/index.ts';

/** The spec's form: `<taskId>:<dependsOnTaskId>` of the last row of the page before. */
export const dependencyCursor: CursorCodec = {
  encode: ([taskId, dependsOnTaskId]) => `${taskId}:${dependsOnTaskId}`,
  decode(cursor) {
    if (!isDependencyCursor(cursor)) throw invalidCursor('must be <taskId>:<dependsOnTaskId>');
    return cursor.toLowerCase().split(':');
  },
};

export function isDependencyCursor(text: string): boolean {
  const parts = text.split(':');
  return parts.length === 2 && parts.every(isUuid);
}
