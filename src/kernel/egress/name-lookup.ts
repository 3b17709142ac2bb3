import { Resolver } from 'node:dns/promises';
import { Refused } from './refused.ts';

const TOTAL_MS = 2_000;
/** For one question to one server; doubled when all servers were asked, so that a dead one is passed over. */
const QUESTION_MS = 600;

/** What the records of a service say, as they say it. */
export interface ServiceRecords {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  /** The text records of its domain. */
  readonly texts: readonly string[];
}

/**
 * Looks names up at the name servers of the machine, without its hosts file and search domains. Does not use
 * `getaddrinfo`, whose few threads serve the file system too.
 */
export class NameLookup {
  /** Undefined to ask the name servers of the machine. */
  constructor(private readonly servers?: readonly string[]) {}

  /** All IPv4 and IPv6 addresses; if one kind cannot be had in time, those of the other. */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    return this.ask(signal, async (resolver) => {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      signal.throwIfAborted();
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length > 0) return addresses;
      const codes = answers.map((answer) => (answer as PromiseRejectedResult).reason.code as string);
      throw new Refused('unreachable', `the name has no address (${codes.join(', ')})`);
    });
  }

  /** The SRV records of a service such as `_imaps._tcp` at a domain, and the texts of the domain, which may be none. */
  recordsOf(service: string, domain: string, signal: AbortSignal): Promise<ServiceRecords> {
    return this.ask(signal, async (resolver) => {
      const [servers, texts] = await Promise.allSettled([
        resolver.resolveSrv(`${service}.${domain}`),
        resolver.resolveTxt(domain),
      ]);
      signal.throwIfAborted();
      if (servers.status === 'rejected')
        throw new Refused('unreachable', `the name has no such service (${codeOf(servers.reason)})`);
      if (texts.status === 'rejected' && !NOTHING.has(codeOf(texts.reason)))
        throw new Refused('unreachable', `the texts of the name cannot be had (${codeOf(texts.reason)})`);
      return {
        servers: servers.value.map(({ name, port }) => ({ host: name, port })),
        texts: texts.status === 'fulfilled' ? texts.value.map((parts) => parts.join('')) : [],
      };
    });
  }

  private async ask<T>(signal: AbortSignal, question: (resolver: Resolver) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: QUESTION_MS, tries: 3 });
    if (this.servers) resolver.setServers(this.servers);
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, TOTAL_MS);
    signal.addEventListener('abort', cancel);
    try {
      return await question(resolver);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** With which name servers say that there is nothing of the kind. */
const NOTHING: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND']);

function codeOf(reason: unknown): string {
  return (reason as NodeJS.ErrnoException).code ?? 'unknown';
}
