import { defineMetrics } from '../../../kernel/metrics/index.ts';

/** How a refresh ended; `lost` is a token that another credential, or another claim, had made worthless. */
export const REFRESH_OUTCOMES = ['stored', 'lost', 'grant_refused', 'client_refused', 'postponed'] as const;

export const OauthMetrics = defineMetrics({
  refreshes: {
    kind: 'counter',
    name: 'oauth_refreshes_total',
    help: 'Requests for new access tokens of connectors, by how they ended: the token was stored, or came too late; the grant or the client was refused, which needs a person; or there was no usable answer, and it is tried again.',
    labels: { outcome: REFRESH_OUTCOMES },
  },
});
