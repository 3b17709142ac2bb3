import { p } from '@mikro-orm/core';
import { timestamp } from '../database/index.ts';

/** What every table of upload notes has beside the keys of its rows. */
export const uploadNote = {
  /** Set before the bytes are removed, so that no row keeps them from then on. */
  abandoned: p.boolean().default(false),
  begunAt: timestamp().defaultRaw('clock_timestamp()'),
} as const;
