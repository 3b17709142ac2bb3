import { defineErrors, defineIssues, EdgeErrors } from '../../kernel/errors/index.ts';
import { WEBHOOKS } from './webhook.policy.ts';

export const WebhookErrors = defineErrors({
  tooMany: {
    status: 409,
    code: 'state_conflict',
    message: `The organization has ${WEBHOOKS.mostOfOrganization} webhooks, as many as it may have: delete one first.`,
  },
  disabled: { status: 409, code: 'state_conflict', message: 'The webhook is disabled: enable it first.' },
});

export const WebhookIssues = defineIssues({
  invalidUrl: {
    code: 'invalid_url',
    message: 'must be a URL without credentials, fragment, white space and backslashes',
  },
  notHttps: { code: 'not_https', message: 'must begin with https:' },
  refusedAddress: {
    code: 'refused_address',
    message: 'must name a public host, and port 443 or one from 1024 to 65535',
  },
  blockedDomain: { code: 'blocked_domain', message: 'must not be in a domain that the organization blocks' },
});

/** What is unknown, deleted or of another organization. */
export const NOT_FOUND = EdgeErrors.notFound;
