/** One command as it is sent: its name in upper case, then its arguments. */
export type Command = readonly [name: string, ...args: string[]];

/** Where the keys of each command stand that is ever sent. What is not listed is not sent. */
const KEYS: Readonly<Record<string, 'first' | 'all'>> = {
  EXISTS: 'all',
  GET: 'first',
  GETRANGE: 'first',
  HGET: 'first',
  HLEN: 'first',
  HMGET: 'first',
  HSCAN: 'first',
  'JSON.GET': 'first',
  'JSON.TYPE': 'first',
  LINDEX: 'first',
  LLEN: 'first',
  LRANGE: 'first',
  MGET: 'all',
  PTTL: 'first',
  SCARD: 'first',
  SISMEMBER: 'first',
  SSCAN: 'first',
  STRLEN: 'first',
  TYPE: 'first',
  XLEN: 'first',
  XRANGE: 'first',
  ZCARD: 'first',
  ZCOUNT: 'first',
  ZRANGE: 'first',
  ZRANK: 'first',
  ZSCAN: 'first',
  ZSCORE: 'first',
};

/** The commands that are sent for tools and reports. */
export const COMMANDS = Object.keys(KEYS);

/** The keys that a command reads. */
export function keysOf([name, ...args]: Command): readonly string[] {
  const place = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
  if (place === undefined || args.length === 0) throw new TypeError(`${name} is not sent.`);
  return place === 'all' ? args : args.slice(0, 1);
}
