import { isIP } from 'node:net';
import { isLoopback } from './loopback.ts';
import { unusable } from './setting.ts';

type Parse<T> = (text: string | undefined) => T;

export function integer(fallback: number, min: number, max: number): Parse<number> {
  return (text) => {
    if (text === undefined) return fallback;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      unusable(`must be an integer from ${min} to ${max}, is "${text}"`);
    return value;
  };
}

export function oneOf<const Value extends string>(values: readonly Value[], fallback: Value): Parse<Value> {
  return (text) => {
    if (text === undefined) return fallback;
    return values.find((value) => value === text) ?? unusable(`must be one of ${values.join(', ')}, is "${text}"`);
  };
}

export function onOff(fallback: boolean): Parse<boolean> {
  return (text) => {
    if (text === undefined) return fallback;
    if (['on', 'true', '1'].includes(text)) return true;
    if (['off', 'false', '0'].includes(text)) return false;
    return unusable(`must be "on" or "off", is "${text}"`);
  };
}

export function postgresUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol))
    unusable('must be an address like postgresql://user:password@host:5432/database');
  const { username, password, pathname } = new URL(text);
  if (username === '' || pathname.length < 2)
    unusable('must name a user and a database: …//user:password@host:5432/database');
  if (![username, password, pathname].every(isPercentEncoded))
    unusable('has a "%" that begins no encoded character; write it as %25');
  return text;
}

export function httpUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    unusable(`must be an http(s) address without credentials and query, is "${text}"`);
  return text.replace(/\/+$/, '');
}

/** Parses a page that browsers are sent to; its own query stays. */
export function returnAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || url.hash || url.username || url.password)
    unusable('must be an https address without credentials and fragment; http only on a loopback address');
  return url.href;
}

/** Parses the URL of a proxy; unlike other URLs it may hold credentials, so it is not echoed. */
export function forwardProxy(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    unusable('must be like http://proxy.internal:3128 or https://user:password@proxy.internal:3128');
  if (![url.username, url.password].every(isPercentEncoded))
    unusable('has credentials that are not percent-encoded; write % as %25');
  return text;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses an address to which telemetry is sent; credentials in it would show up in errors. */
export function collectorUrl(text: string | undefined): string | undefined {
  if (text !== undefined && URL.canParse(text) && new URL(text).username + new URL(text).password !== '')
    unusable('must not hold a user or password; put credentials into OTEL_EXPORTER_OTLP_HEADERS');
  return httpUrl(text);
}

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/i;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Parses `name=value` pairs with percent-encoded values. */
export function headerList(text: string | undefined): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const [, name = '', encoded = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const value = decoded(encoded.trim());
    if (!HEADER_NAME.test(name.trim()) || value === undefined || !HEADER_VALUE.test(value))
      unusable('must be name=value pairs, comma-separated, with percent-encoded values of printable ASCII');
    headers[name.trim().toLowerCase()] = value;
  }
  return headers;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function ratio(fallback: number): Parse<number> {
  return (text) => {
    if (text === undefined) return fallback;
    const value = Number(text);
    if (!/^\d*\.?\d+$/.test(text) || value > 1) unusable(`must be a number from 0 to 1, is "${text}"`);
    return value;
  };
}

/** Values known from examples: a deployment that uses one has a public key. */
export const EXAMPLES = /change[-_ ]?me|example|placeholder|insert|your[-_ ]|x{8}|0123456789|secret-?token|(.)\1{11,}/i;
const SECRET_MIN_LENGTH = 32;

function usableSecret(text: string): string {
  if (EXAMPLES.test(text)) unusable('is a known example value; make one with `openssl rand -base64 32`');
  if (text.length < SECRET_MIN_LENGTH) unusable(`must have at least ${SECRET_MIN_LENGTH} characters`);
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(text)) unusable('must be letters, digits and -._~+/= only, as a bearer token is');
  return text;
}

export function secret(text: string | undefined): string | undefined {
  return text === undefined ? undefined : usableSecret(text);
}

/** Parses comma-separated secrets, so that two overlap during a rotation. */
export function secrets(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  return text.split(',').map((part) => usableSecret(part.trim()));
}

/** The default of MinIO's manual and images. */
const DEFAULT_KEY = 'minioadmin';

/** Parses one half of a key pair that a store made; its length differs between stores. */
export function accessKey(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (EXAMPLES.test(text) || text === DEFAULT_KEY) unusable('is a known example value; use a key that the store made');
  if (!/^[\x21-\x7e]+$/.test(text)) unusable('must be printable ASCII without spaces');
  return text;
}

export function bucketName(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text))
    unusable(`must be 3 to 63 of a-z, 0-9, "." and "-", is "${text}"`);
  return text;
}

export function regionName(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[a-z0-9-]{2,50}$/.test(text))
    unusable(`must be a region like eu-central-1, is "${text}"`);
  return text;
}

/** Parses path segments as object keys have them; ignores slashes at the ends. */
export function keyPrefix(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const prefix = text.replaceAll(/^\/+|\/+$/g, '');
  if (prefix.length > 256 || !/^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/.test(prefix))
    unusable(`must be segments of a-z, 0-9, ".", "_" and "-" joined by "/", at most 256 characters, is "${text}"`);
  return prefix;
}

/** Fastify's names for address ranges. */
const RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return RANGES.has(text);
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Parses which proxies are trusted to name the caller's address: none, all, or the listed addresses. */
export function proxies(text: string | undefined): boolean | string {
  if (text === undefined || /^(on|off|true|false|1|0)$/.test(text)) return onOff(false)(text);
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every(isAddress)) unusable(`must be "on", "off" or addresses like 10.0.0.1 or 10.0.0.0/8, is "${text}"`);
  return parts.join(',');
}

/** Parses origins as browsers send them: scheme, host and any non-default port, in lower case and without a path. */
export function origins(text: string | undefined): readonly string[] {
  const given = text === undefined ? [] : text.split(',').map((origin) => origin.trim());
  for (const origin of given)
    if (!/^https?:[^*]+$/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin)
      unusable(`must be exact origins like https://app.example, comma-separated; "${origin}" is not one`);
  return given;
}

/** With the longest `sub` it must fit into a subject of a member. */
const ISSUER_MAX_LENGTH = 200;
const AUDIENCE = /^[\x21-\x7e]{1,200}$/;

/** Parses an issuer without changing it, because it is compared with that of tokens character by character. */
export function issuerUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && !url.search && !url.hash && !url.username && !url.password;
  // Subjects join the issuer and the `sub` by "|".
  if (!isBare || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || /[?#|]/.test(text) || text.length > ISSUER_MAX_LENGTH)
    unusable(
      `must be the provider's https address as its tokens have it in "iss", without a query, at most ${ISSUER_MAX_LENGTH} characters`,
    );
  return text;
}

/** Parses comma-separated audiences. */
export function audiences(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const given = text.split(',').map((part) => part.trim());
  if (!given.every((audience) => AUDIENCE.test(audience)))
    unusable('must be values that tokens have in "aud", comma-separated, each of 1 to 200 printable characters');
  return given;
}
