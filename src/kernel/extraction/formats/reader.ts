import type { TextCollector, UnreadableError } from '../text/index.ts';
import type { Charset } from './charset.ts';

export type Format =
  'plain' | 'json' | 'csv' | 'html' | 'mail' | 'pdf' | 'word' | 'workbook' | 'slides' | 'openDocument';

/** What a source is by its bytes. */
export interface RealType {
  readonly mediaType: string | null;
  /** Whether it was declared to be something else. */
  readonly isMismatch: boolean;
  /** Undefined where nothing can be read. */
  readonly format?: Format;
  /** Of text. */
  readonly charset?: Charset;
  /** Set where its kind alone tells that nothing can be read. */
  readonly unreadable?: UnreadableError['code'] | 'empty_file';
}

/** What a reader found beside the text. */
export interface Found {
  readonly pages?: number;
  /** Whether something was left out beyond a limit. */
  readonly isCut?: boolean;
  /** Whether a part could not be read. */
  readonly isDamaged?: boolean;
}

export type Reader = (bytes: Buffer, into: TextCollector, type: RealType) => Promise<Found>;
