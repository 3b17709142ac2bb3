/** What Windows divides segments by, and its drives, which make a path absolute. */
const WINDOWS_PATH = /^[a-z]:|\\/i;

/** Relative, divided by `/` alone, without steps upwards or empty segments. */
export function isRelativePath(text: string): boolean {
  return (
    !WINDOWS_PATH.test(text) &&
    text.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}
