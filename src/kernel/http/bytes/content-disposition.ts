/**
 * `Content-Disposition` of a file to keep (RFC 6266): its name in UTF-8, and in ASCII for those who read no other.
 * Whatever the name holds, the header stays one.
 *
 * Not by `content-disposition` (3.1), which was tried: it throws for a lone surrogate, escapes quotes and backslashes in
 * the ASCII name, which clients read differently, and takes twice as long; what keeps them out would be as long as this.
 */
export function attachment(fileName: string): string {
  const plain = fileName.toWellFormed();
  const ascii = plain.replaceAll(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(plain).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
