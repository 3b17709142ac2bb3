import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MOST_CHARACTERS = 253;
const FEWEST_LABELS = 3;

/**
 * The bare SRV host of a cluster, in lower case: a name of three labels or more below one of the domains, and nothing else;
 * else 400 at the field.
 */
export function clusterHost(given: string, domains: readonly string[], field: string): string {
  const host = given.toLowerCase();
  const labels = host.split('.');
  const isName = host.length <= MOST_CHARACTERS && labels.every((label) => LABEL.test(label));
  if (isName && labels.length >= FEWEST_LABELS && domains.some((domain) => host.endsWith(domain))) return host;
  throw invalid(
    field,
    EdgeIssues.invalidText,
    `must be the bare host of a cluster below ${domains.join(' or ')}, without a scheme, a port or a path`,
  );
}
