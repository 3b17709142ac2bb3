/**
 * `Content-Disposition` of a file to save (RFC 6266): its name in UTF-8, and in ASCII for clients that read only that.
 * No file name can break out of the header.
 *
 * Does not use `content-disposition` (3.1), which was tried: it throws for a lone surrogate, escapes quotes and
 * backslashes in the ASCII name, which clients read differently, and takes twice as long. The code to keep such names
 * from it would be as long as this.
 */
export function attachment(fileName: string): string {
  const plain = fileName.toWellFormed();
  const ascii = plain.replaceAll(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(plain).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
