/**
 * `Content-Disposition` of a file to keep (RFC 6266): its name in UTF-8, and in ASCII for those who read no other.
 * Whatever the name holds, the header stays one.
 */
export function attachment(fileName: string): string {
  const plain = fileName.toWellFormed();
  const ascii = plain.replaceAll(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(plain).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
