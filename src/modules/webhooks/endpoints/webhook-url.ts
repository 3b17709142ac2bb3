import { invalid } from '../../../kernel/errors/index.ts';
import type { Egress } from '../../../kernel/egress/index.ts';
import { WebhookIssues } from '../webhook.errors.ts';

const ISSUES = {
  not_https: WebhookIssues.notHttps,
  blocked_domain: WebhookIssues.blockedDomain,
  refused_address: WebhookIssues.refusedAddress,
} as const;

const MAX_PORT = 65_535;

/** Refuses a URL to which nothing could be sent, as far as it tells by itself; its host is looked up with each delivery. */
export function requireReachable(egress: Egress, url: string, blockedDomains: readonly string[]): void {
  // The URL parser would pass over white space and take a backslash for a slash, unlike whoever reads the stored text.
  if (/[\s\p{Cc}\\#]/u.test(url)) throw invalid('url', WebhookIssues.invalidUrl);
  const port = /^https:\/\/[^/?]*:(\d+)(?:[/?]|$)/i.exec(url)?.[1];
  if (Number(port) > MAX_PORT) throw invalid('url', WebhookIssues.refusedAddress);
  if (!URL.canParse(url)) throw invalid('url', WebhookIssues.invalidUrl);
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw invalid('url', WebhookIssues.invalidUrl);
  const refusal = egress.judge(url, blockedDomains);
  if (refusal !== undefined) throw invalid('url', ISSUES[refusal]);
}
