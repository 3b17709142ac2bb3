const BRANCHES = 'refs/heads/';
/** Of a whole name, in bytes; file systems of hosts hold no longer one. */
const MOST_BYTES = 250;
/** Control characters, a space, what Git gives a meaning, and what stands for bytes that are no UTF-8. */
// oxlint-disable-next-line eslint/no-control-regex -- git forbids just these
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\\ufffd]|\.\.|@\{|\/\/|\/$|\.$/;

/** Whether a name is that of a branch, by the rules of `git check-ref-format`. */
export function isBranch(ref: string): boolean {
  if (!ref.startsWith(BRANCHES) || Buffer.byteLength(ref) > MOST_BYTES || !ref.isWellFormed()) return false;
  const name = ref.slice(BRANCHES.length);
  if (name === '' || FORBIDDEN.test(ref)) return false;
  return ref.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock') && part !== '');
}

/** The branch of a ref, as people say it. */
export function branchOf(ref: string): string {
  return ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : ref;
}
