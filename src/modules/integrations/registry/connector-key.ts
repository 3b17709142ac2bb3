import { isSlug } from '../../../kernel/validation/index.ts';
import { OWNER_MADE_PREFIX } from '../integration.state.ts';

const LONGEST = 90;

/** The key of an owner's own connector by its name: what is left of it as a slug, behind the prefix that they all have. */
export function keyOfName(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const slug = words.join('-').slice(0, LONGEST).replace(/-$/, '');
  const bare = slug.startsWith(OWNER_MADE_PREFIX) ? slug.slice(OWNER_MADE_PREFIX.length) : slug;
  return `${OWNER_MADE_PREFIX}${bare === '' ? 'server' : bare}`;
}

/** Whether an owner's own connector may be called so. */
export function isOwnKey(key: string): boolean {
  return isSlug(key) && key.startsWith(OWNER_MADE_PREFIX);
}

/** The first of `base`, `base-2`, `base-3` … that is free. */
export function freeKey(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let nth = 2; ; nth += 1) if (!taken.has(`${base}-${nth}`)) return `${base}-${nth}`;
}
