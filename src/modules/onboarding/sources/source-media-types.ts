import { MEDIA_TYPES } from '../../../kernel/storage/index.ts';

/** What a chat takes, but for archives, and what companies have beside it. The review judges the content. */
export const SOURCE_MEDIA_TYPES: readonly string[] = [
  ...MEDIA_TYPES.filter((type) => type !== 'application/zip'),
  'text/html',
  'message/rfc822',
];
