const MIB = 1_024 * 1_024;

/** Bounds of each kind of exchange with the host. What the service itself asks waits for no client's transfers. */
export const GIT_BOUNDS = {
  discovery: { pool: 'streams', bytes: 32 * MIB, wholeMs: 30_000, quietMs: 20_000 },
  fetch: { pool: 'streams', bytes: 2_048 * MIB, wholeMs: 10 * 60_000, quietMs: 60_000 },
  /** Of what the service itself reads of a host: refs, and trees for previews. */
  look: { pool: 'requests', bytes: 20 * MIB, wholeMs: 5_000, quietMs: 5_000 },
  /** Of the discovery before an approved push. */
  check: { pool: 'requests', bytes: 32 * MIB, wholeMs: 30_000, quietMs: 20_000 },
  push: { pool: 'requests', bytes: MIB, wholeMs: 60_000, quietMs: 60_000 },
} as const;
export type GitExchange = keyof typeof GIT_BOUNDS;

/** Of what a client sends: a fetch; a pack; a refused pack, of which the rest is dropped. */
export const FETCH_REQUEST_BYTES = 8 * MIB;
export const PACK_BYTES = 50 * MIB;
export const DROPPED_BYTES = 100 * MIB;

/** Pushes that are verified at once in a process, and of one organization; others wait. */
export const VERIFYING = { size: 2, share: 1, queue: 16, waitMs: 60_000 } as const;

/**
 * How long a client waits for a push that needs nobody's approval, and how often it hears that it is still under way: clients
 * on Node give up after 5 s of silence.
 */
export const PUSH_WAIT_MS = 120_000;
export const REMARK_MS = 4_000;

/** How long the bytes of a push are kept behind the end of its action. */
export const KEPT_DAYS = 7;

/** With which the service speaks for itself. */
export const AGENT = 'service-integration';

/** Of the two services of Git, by the words of its addresses. */
export const GIT_SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
export type GitService = (typeof GIT_SERVICES)[number];

/** Of connectors that reach the code host, and of their tools that stand for the two services. */
export const CONNECTOR_KIND = 'code-host';
export const GIT_TOOLS = {
  'git-upload-pack': 'git_fetch',
  'git-receive-pack': 'git_push',
} as const satisfies Record<GitService, string>;

export const MEDIA = {
  advertisement: {
    'git-upload-pack': 'application/x-git-upload-pack-advertisement',
    'git-receive-pack': 'application/x-git-receive-pack-advertisement',
  },
  request: {
    'git-upload-pack': 'application/x-git-upload-pack-request',
    'git-receive-pack': 'application/x-git-receive-pack-request',
  },
  result: {
    'git-upload-pack': 'application/x-git-upload-pack-result',
    'git-receive-pack': 'application/x-git-receive-pack-result',
  },
} as const;

/** As Git's own server keeps answers out of caches. */
export const NO_CACHE = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
} as const;
