import anyAscii from 'any-ascii';
import * as currencies from 'dinero.js/currencies';

/** How many runs of an organization may be live at once. */
export const LIVE_RUN_LIMIT = { min: 1, max: 10_000, default: 10 } as const;

/** Those in use. Node's own list follows what people write, so it keeps withdrawn ones (HRK) and lacks new ones (VED). */
const CURRENCIES = new Set(Object.keys(currencies));

/** ISO 4217 in upper case, or undefined. */
export function normalizeCurrency(code: string): string | undefined {
  const upper = code.trim().toUpperCase();
  return CURRENCIES.has(upper) ? upper : undefined;
}

/** The IANA name in its usual case, or undefined; an offset is no zone. */
export function normalizeTimezone(zone: string): string | undefined {
  const name = zone.trim();
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
  } catch {
    return undefined;
  }
}

/** Names that only mean something inside a private network. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa', 'lan', 'onion'];

/** Lower-case host name of at least two labels that can be public, or undefined. */
export function normalizeDomain(domain: string): string | undefined {
  const text = domain.trim().toLowerCase().replace(/\.$/, '');
  if (text === '' || /[\s/@:?#\\%]/.test(text) || !URL.canParse(`https://${text}`)) return undefined;
  const { hostname } = new URL(`https://${text}`);
  const labels = hostname.split('.');
  const isHost = labels.length >= 2 && labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  const isAddress = /^\d+$/.test(labels.at(-1)!);
  const isPrivate = PRIVATE_SUFFIXES.some((suffix) => hostname === suffix || hostname.endsWith(`.${suffix}`));
  return isHost && !isAddress && !isPrivate && hostname.length <= 253 ? hostname : undefined;
}

/** The canonical public https origin of a company's site, or undefined. `http:` is upgraded, a path is dropped. */
export function normalizeWebsite(website: string): string | undefined {
  const text = website.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined;
  const host = normalizeDomain(url.hostname);
  // Refuses port 80, which is http's: the caller cannot mean https on it, which this would become.
  return host && url.port !== '80' ? new URL(`https://${host}:${url.port}`).origin : undefined;
}

interface Details {
  readonly name: string;
  readonly website: string;
  readonly timezone: string;
  readonly defaultCurrency: string;
}

/** Company details as they are compared and stored. They were validated, so each has a normal form. */
export function normalizeDetails<Some extends Partial<Details>>(details: Some): Some {
  const { website, timezone, defaultCurrency } = details;
  return {
    ...details,
    ...(website === undefined ? {} : { website: normalizeWebsite(website) }),
    ...(timezone === undefined ? {} : { timezone: normalizeTimezone(timezone) }),
    ...(defaultCurrency === undefined ? {} : { defaultCurrency: normalizeCurrency(defaultCurrency) }),
  };
}

const MAX_SLUG_LENGTH = 60;

/** The slug that a name asks for, transliterated; numbers are added where it is taken. */
export function slugBase(name: string): string {
  const words = anyAscii(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  return words || 'organization';
}
