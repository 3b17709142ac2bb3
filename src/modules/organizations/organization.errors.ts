import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const OrganizationIssues = defineIssues({
  invalidWebsite: { code: 'invalid_website', message: 'must be a public https address' },
  invalidTimezone: { code: 'invalid_timezone', message: 'must be an IANA time zone' },
  invalidCurrency: { code: 'invalid_currency', message: 'must be a currency of ISO 4217' },
  invalidSubject: { code: 'invalid_subject', message: 'must be bootstrap, token:<uuid> or oidc:<issuer>|<sub>' },
  exceedsCaller: { code: 'exceeds_caller', message: 'must not hold a scope that the token you call with lacks' },
  outlivesCaller: { code: 'outlives_caller', message: 'must not be after the expiry of the token that you call with' },
});

export const OrganizationErrors = defineErrors({
  slugTaken: {
    status: 409,
    code: 'state_conflict',
    message: 'Another organization has this slug: choose another one.',
  },
});

export const MemberErrors = defineErrors({
  notFound: { status: 404, code: 'not_found', message: 'There is no such member.' },
  lastOwner: {
    status: 409,
    code: 'state_conflict',
    message: 'The last owner can neither be removed nor become a viewer: make another member an owner first.',
  },
});
