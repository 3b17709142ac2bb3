/** What is read of one source. Whatever goes beyond is a limit of the reading process, in `reading-process.ts`. */
export const LIMITS = {
  sourceBytes: 50 * 1_024 * 1_024,
  /** Code points of cleaned text. */
  characters: 400_000,
  /** Code points of one passage, a repeated header included. */
  passage: 2_000,
  pages: 2_000,
  zipEntries: 10_000,
  /** Of all entries of an archive, as they come out: declared sizes may lie. */
  inflatedBytes: 256 * 1_024 * 1_024,
  /** Nested elements of a document. */
  depth: 256,
  /** Nested elements of HTML, whose parser takes time quadratic in them. */
  htmlDepth: 2_000,
  /** Nested parts of a mail. */
  mailDepth: 20,
  rowsOfSheet: 5_000,
  /** UTF-16 units of a cell of a sheet beyond which it takes no more; office programs allow as many. */
  cell: 32_767,
  /** Cells of one row; further ones are left out. */
  columns: 256,
} as const;
