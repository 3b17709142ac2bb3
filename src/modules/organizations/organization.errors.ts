import { defineIssues } from '../../kernel/errors/index.ts';

export const OrganizationIssues = defineIssues({
  invalidWebsite: { code: 'invalid_website', message: 'must be a public https address' },
  invalidTimezone: { code: 'invalid_timezone', message: 'must be an IANA time zone' },
  invalidCurrency: { code: 'invalid_currency', message: 'must be a currency of ISO 4217' },
  invalidSubject: { code: 'invalid_subject', message: 'must be bootstrap, token:<uuid> or oidc:<issuer>|<sub>' },
  notPermitted: { code: 'not_permitted', message: 'cannot be named by you' },
  outlivesCaller: { code: 'outlives_caller', message: 'must not be after the expiry of the token that you call with' },
});
