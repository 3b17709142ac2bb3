import { isIP } from 'node:net';
import type { ApprovedOrigins } from '../../../config/index.ts';
import type { Egress } from '../../../kernel/egress/index.ts';
import { invalid } from '../../../kernel/errors/index.ts';
import { IntegrationIssues } from '../integration.errors.ts';

/** What is reachable, and by whose rules. */
interface Rules {
  readonly egress: Egress;
  readonly approvedOrigins: ApprovedOrigins;
  readonly blockedDomains: readonly string[];
}

/**
 * Refuses an address where no connector may lie, as far as it tells by itself; its host is looked up with each request. What
 * the trial service lists as local peer may lie on this machine.
 */
export function requireConnectable(url: string, { egress, approvedOrigins, blockedDomains }: Rules): void {
  // The URL parser would pass over white space and take a backslash for a slash, unlike whoever reads the stored text.
  if (/[\s\p{Cc}\\#]/u.test(url) || !URL.canParse(url)) throw invalid('endpoint', IntegrationIssues.invalidEndpoint);
  const { username, password, protocol, hostname } = new URL(url);
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (username !== '' || password !== '' || (protocol !== 'http:' && protocol !== 'https:'))
    throw invalid('endpoint', IntegrationIssues.invalidEndpoint);
  if (protocol === 'https:' && isAddress) throw invalid('endpoint', IntegrationIssues.invalidEndpoint);
  if (!approvedOrigins.has(url)) throw invalid('endpoint', IntegrationIssues.originNotApproved);
  const refusal = egress.judge(url, blockedDomains);
  if (refusal === 'blocked_domain')
    throw invalid('endpoint', IntegrationIssues.blocked, 'is in a domain that the organization blocks');
  if (refusal !== undefined) throw invalid('endpoint', IntegrationIssues.invalidEndpoint);
}
