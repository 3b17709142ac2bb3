import type { EgressConfig } from '../../config/index.ts';
import { Admission } from '../admission/index.ts';
import type { Addend, Metrics, Sample } from '../metrics/index.ts';
import { bodyOf, refuseUnreadable } from './answer-body.ts';
import { Deadline } from './deadline.ts';
import { destinationOf, type Scope } from './destination.policy.ts';
import { EgressMetrics } from './egress.metrics.ts';
import {
  type EgressAnswer,
  type EgressRequest,
  type EgressResult,
  type Pool,
  type Refusal,
  REFUSALS,
  type UrlRefusal,
} from './egress-request.ts';
import { NameLookup } from './name-lookup.ts';
import { callersHeaders } from './outgoing-headers.ts';
import { type Hop, locationOf, nextHop } from './redirect.policy.ts';
import { Refused, refusedBy } from './refused.ts';
import { type NamedServices, Routes } from './routes.ts';

/** In flight in this process, and of them those of one organization. */
const AT_ONCE: Readonly<Record<Pool, { readonly size: number; readonly share: number }>> = {
  requests: { size: 32, share: 4 },
  streams: { size: 16, share: 4 },
};
/** Of one organization; further ones are refused as if they had waited in vain. */
const MOST_WAITING = 1_000;
/** Longer than any request may take in total, which ends its wait before. */
const LONGEST_WAIT_MS = 3_600_000;

/** A request on its way. */
interface Sending {
  readonly first: Hop;
  readonly scope: Scope;
  readonly maxBytes: number;
  readonly redirects: number;
  readonly ignoresBody: boolean;
  readonly cutsBody: boolean;
  readonly take: EgressRequest['take'];
  readonly userAgent: string | undefined;
  readonly signal: AbortSignal;
  readonly leavesUntilMs: number;
  /** Whether a byte may have left. */
  sent: boolean;
}

interface Redirect {
  readonly status: number;
  readonly location: string;
}

/** The one door through which requests leave the service. */
export class Egress {
  private readonly places: Readonly<Record<Pool, Admission>> = {
    requests: new Admission({ ...AT_ONCE.requests, queue: MOST_WAITING, waitMs: LONGEST_WAIT_MS }),
    streams: new Admission({ ...AT_ONCE.streams, queue: MOST_WAITING, waitMs: LONGEST_WAIT_MS }),
  };
  private readonly routes: Routes;
  private readonly outcomes: Readonly<Record<'answered' | Refusal, Addend>>;
  private readonly seconds: Sample;
  private open = 0;

  /** Asks the name servers of the machine unless given others. */
  constructor(
    private readonly config: EgressConfig,
    metrics: Metrics,
    nameServers?: readonly string[],
  ) {
    this.routes = new Routes(config, new NameLookup(nameServers));
    const outcomes = ['answered', ...REFUSALS] as const;
    const series = outcomes.map((outcome) => [outcome, metrics.counter(EgressMetrics.requests, { outcome })] as const);
    this.outcomes = Object.fromEntries(series) as typeof this.outcomes;
    this.seconds = metrics.histogram(EgressMetrics.duration);
    metrics.gauge(EgressMetrics.open, () => this.open);
  }

  /**
   * Why nothing could be sent to a URL of a tenant, as far as the URL tells by itself; undefined where it depends on what its
   * host resolves to, which each request looks up.
   */
  judge(url: string, blockedDomains: readonly string[]): UrlRefusal | undefined {
    try {
      destinationOf(url, { hosts: 'public', blockedDomains, localPeers: this.config.localPeers });
      return undefined;
    } catch (error) {
      return refusedBy(error).refusal as UrlRefusal;
    }
  }

  /** Whether sockets reach the outside by themselves, without the forward proxy. */
  get isDirect(): boolean {
    return this.config.proxy === undefined;
  }

  /** The servers of a service that a driver may connect to by itself; throws `Refused`. */
  servicesOf(
    service: string,
    domain: string,
    blockedDomains: readonly string[],
    signal: AbortSignal,
  ): Promise<NamedServices> {
    return this.routes.services(service, domain, blockedDomains, signal);
  }

  /** Does what a driver sends by itself, in one of the places; throws `Refused` where none was free in time. */
  async occupied<T>(key: string | undefined, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter('requests', key, signal);
    this.open += 1;
    try {
      return await work();
    } finally {
      this.open -= 1;
      this.places.requests.leave(key);
    }
  }

  /** Sends one request and returns its answer or a refusal; throws only for a mistake of its caller. */
  async send(request: EgressRequest): Promise<EgressResult> {
    const headers = callersHeaders(request.headers);
    const began = performance.now();
    this.open += 1;
    const result = await this.resultOf({ ...request, headers });
    this.open -= 1;
    this.outcomes['refusal' in result ? result.refusal : 'answered'].inc();
    this.seconds.observe((performance.now() - began) / 1_000);
    return result;
  }

  /** The answer, or every failure as a refusal. */
  private async resultOf({ url, method, headers = {}, body, ...request }: EgressRequest): Promise<EgressResult> {
    const { limits, hosts, organization } = request;
    const deadline = new Deadline(limits.totalMs, request.signal);
    const sending: Sending = {
      first: { url, method, headers, body },
      scope: { hosts, blockedDomains: organization?.blockedDomains ?? [], localPeers: this.config.localPeers },
      maxBytes: limits.maxBytes,
      redirects: limits.redirects ?? 0,
      ignoresBody: request.ignoresBody ?? false,
      cutsBody: request.cutsBody ?? false,
      take: request.take,
      userAgent: request.userAgent,
      signal: deadline.signal,
      leavesUntilMs: request.leavesUntilMs ?? Infinity,
      sent: false,
    };
    try {
      return await this.inTurn(request.pool ?? 'requests', request.places ?? organization?.id, sending);
    } catch (error) {
      const { refusal, message } = deadline.signal.aborted ? (deadline.signal.reason as Refused) : refusedBy(error);
      return { refusal, sent: sending.sent, detail: message };
    } finally {
      deadline.clear();
    }
  }

  private async inTurn(pool: Pool, key: string | undefined, sending: Sending): Promise<EgressAnswer> {
    await this.enter(pool, key, sending.signal);
    try {
      return await this.follow(sending);
    } finally {
      this.places[pool].leave(key);
    }
  }

  private async enter(pool: Pool, key: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    try {
      await this.places[pool].enter(key, 1, signal);
    } catch {
      throw new Refused('timeout', 'too many requests of the same key are waiting');
    }
  }

  private async follow(sending: Sending): Promise<EgressAnswer> {
    let hop: Hop = sending.first;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.exchange(hop, sending);
      if ('body' in answer) return answer;
      if (redirects === sending.redirects) throw new Refused('redirect', `more than ${redirects} redirects`);
      hop = nextHop(hop, answer.status, answer.location);
    }
  }

  private async exchange(hop: Hop, sending: Sending): Promise<EgressAnswer | Redirect> {
    const { scope, maxBytes, redirects, ignoresBody, cutsBody, take, userAgent, signal } = sending;
    const destination = destinationOf(hop.url, scope);
    const route = await this.routes.to(destination, signal);
    // Loaded with the first request, because undici takes 32 MB.
    const { Connection } = await import('./connection.ts');
    const onOpen = () => {
      if (performance.now() > sending.leavesUntilMs) throw new Refused('timeout', 'it would leave too late');
      sending.sent = true;
    };
    const bound = cutsBody ? undefined : maxBytes;
    const connection = new Connection(destination, route, { maxBytes: bound, signal, userAgent, onOpen });
    try {
      const response = await connection.request(hop);
      const { statusCode: status, headers, body } = response;
      // What is not read ends with the connection.
      body.on('error', () => undefined);
      const location = redirects === 0 ? undefined : locationOf(status, headers.location);
      if (location !== undefined) return { status, location };
      const head = { status, headers, url: destination.url.href };
      if (take) {
        refuseUnreadable(hop.method, response, { maxBytes, cutsBody });
        await take(head, body);
      }
      const isDone = ignoresBody || take !== undefined;
      const read = isDone ? Buffer.alloc(0) : await bodyOf(hop.method, response, { maxBytes, cutsBody });
      return { ...head, body: read };
    } finally {
      connection.close();
    }
  }
}
