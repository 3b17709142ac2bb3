import { Resolver } from 'node:dns/promises';
import { Refused } from './refused.ts';

const TOTAL_MS = 2_000;
/** For one question to one server; doubled when all servers were asked, so that a dead one is passed over. */
const QUESTION_MS = 600;

/**
 * Looks names up at the name servers of the machine, without its hosts file and search domains. Does not use
 * `getaddrinfo`, whose few threads serve the file system too.
 */
export class NameLookup {
  /** Undefined to ask the name servers of the machine. */
  constructor(private readonly servers?: readonly string[]) {}

  /** All IPv4 and IPv6 addresses; if one kind cannot be had in time, those of the other. */
  async addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: QUESTION_MS, tries: 3 });
    if (this.servers) resolver.setServers(this.servers);
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, TOTAL_MS);
    signal.addEventListener('abort', cancel);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      signal.throwIfAborted();
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length > 0) return addresses;
      const codes = answers.map((answer) => (answer as PromiseRejectedResult).reason.code as string);
      throw new Refused('unreachable', `the name has no address (${codes.join(', ')})`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }
}
