import { unusable } from './setting.ts';

/** The origins where connectors of owners, and what authorizes them, may lie; a pattern stands for hosts below a domain. */
export class ApprovedOrigins {
  private readonly patterns: readonly string[];

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
  }

  /** Whether an address lies at one of them; anything that is no address does not. */
  has(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { origin, protocol, hostname, port } = new URL(address);
    return this.patterns.some((pattern) => {
      if (!pattern.startsWith(ANY_HOST)) return pattern === origin;
      const below = new URL(pattern.replace(ANY_HOST, 'https://'));
      return protocol === 'https:' && port === below.port && hostname.endsWith(`.${below.hostname}`);
    });
  }
}

/** Parses domains, each with a dot before it, whose hosts owners may name. */
export function hostSuffixes(fallback: readonly string[]): (text: string | undefined) => readonly string[] {
  return (text) => {
    if (text === undefined) return fallback;
    const given = text.split(',').map((suffix) => suffix.trim());
    for (const suffix of given)
      if (!SUFFIX.test(suffix))
        unusable(
          `must be domains of two labels or more behind a dot, like .example.com, comma-separated; "${suffix}" is none`,
        );
    return given;
  };
}

const SUFFIX = /^(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+\.[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ANY_HOST = 'https://*.';

/** Parses exact origins, and `https://*.` with a domain of two labels or more. */
export function approvedOrigins(text: string | undefined): readonly string[] {
  const given = text === undefined ? [] : text.split(',').map((origin) => origin.trim());
  for (const origin of given) if (!isPattern(origin) && !isOrigin(origin)) refuse(origin);
  return given;
}

function isPattern(text: string): boolean {
  if (!text.startsWith(ANY_HOST)) return false;
  const bare = text.replace(ANY_HOST, 'https://');
  return isOrigin(bare) && /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(new URL(bare).hostname);
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function refuse(origin: string): never {
  return unusable(
    `must be exact origins like https://mcp.example.com or patterns like https://*.example.com, comma-separated; "${origin}" is neither`,
  );
}
