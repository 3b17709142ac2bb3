/**
 * - `empty_file`: no bytes, or nothing but white space;
 * - `encrypted`: it needs a password;
 * - `damaged`: it is what it should be, but broken;
 * - `content_mismatch`: it is of another type than declared; it was read as what it is;
 * - `no_text`: a scan, an image, an old office format, or a document without text;
 * - `too_complex`: reading it took more time, memory, parts or depth than allowed; none of it was kept;
 * - `text_truncated`: it has more text, pages or rows than are kept;
 * - `charset_guessed`: nothing but statistics tells its charset.
 */
export const WARNING_CODES = [
  'empty_file',
  'encrypted',
  'damaged',
  'content_mismatch',
  'no_text',
  'too_complex',
  'text_truncated',
  'charset_guessed',
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];
