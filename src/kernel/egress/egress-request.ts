/**
 * What a request may reach: any public host; only these exact origins; or the one origin that the deployment's own
 * configuration names, which may lie in its private network. Local peers of trials may be reached besides.
 */
export type Hosts = 'public' | readonly string[] | { readonly configured: string };

export type Pool = 'requests' | 'streams';

export interface EgressRequest {
  readonly url: string;
  readonly method: string;
  /** Names in any case. Those that the connection or the client itself needs are refused as a mistake of the caller. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What comes piece by piece can be sent once, so it is for requests that follow no redirect. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** What the service calls itself; its own name unless said. */
  readonly userAgent?: string;
  readonly limits: {
    /** For everything, including the wait for a place and all redirects. */
    readonly totalMs: number;
    /** Of the answer's body. */
    readonly maxBytes: number;
    /** Most redirects that are followed; 0 (default) hands the redirect itself to the caller. */
    readonly redirects?: number;
  };
  readonly hosts: Hosts;
  /** Whether only status and headers of the answer are wanted: the connection ends with them. */
  readonly ignoresBody?: boolean;
  /** Whether a longer body is cut off at `maxBytes` instead of refused, for those whose beginning is enough. */
  readonly cutsBody?: boolean;
  /**
   * Takes the answer's body while it comes, instead of getting it as a whole; the connection ends when it returns. What it
   * throws ends the request as `unreachable`.
   */
  readonly take?: (head: Omit<EgressAnswer, 'body'>, body: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Whose share of the requests at once it counts against; that of the organization unless said. */
  readonly places?: string;
  /** Which places it takes: those of `streams` are for transfers of minutes, so that nothing else waits for them. */
  readonly pool?: Pool;
  /** For whom it is sent; undefined for the deployment itself. */
  readonly organization?: { readonly id: string; readonly blockedDomains: readonly string[] };
  readonly signal?: AbortSignal;
  /**
   * On `performance.now()`: later than this no byte leaves, by the clock itself. A timer fires late in a process that was
   * stopped meanwhile.
   */
  readonly leavesUntilMs?: number;
}

export interface EgressAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Of the last request, after redirects. */
  readonly url: string;
}

/**
 * - `refused_address`: not a URL, with credentials in it, an origin or a port that is not permitted, or a host with an
 *   address that is not public;
 * - `blocked_domain`: the organization blocks the host or a domain above it;
 * - `not_https`;
 * - `too_large`: more bytes or larger headers than allowed, counted or announced;
 * - `timeout`: longer than `totalMs`;
 * - `encoded`: an answer that is compressed although that was not asked for;
 * - `redirect`: more redirects than allowed, or one that cannot be followed;
 * - `unreachable`: the name, the connection, the certificate or the answer failed;
 * - `aborted`: by the caller's signal.
 */
export const REFUSALS = [
  'refused_address',
  'blocked_domain',
  'not_https',
  'too_large',
  'timeout',
  'encoded',
  'redirect',
  'unreachable',
  'aborted',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Those that a URL tells by itself. */
export type UrlRefusal = Extract<Refusal, 'refused_address' | 'blocked_domain' | 'not_https'>;

export interface EgressRefusal {
  readonly refusal: Refusal;
  /** Whether a byte of a request may have left; false proves that none has. */
  readonly sent: boolean;
  /** For logs of operators, not for answers: it may tell about the network inside. */
  readonly detail: string;
}

export type EgressResult = EgressAnswer | EgressRefusal;
