import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const KnowledgeErrors = defineErrors({
  notFound: { status: 404, code: 'not_found', message: 'There is no such record.' },
  refused: {
    status: 409,
    code: 'state_conflict',
    message: 'The record cannot be published as it is: see the issue.',
  },
});

export const KnowledgeIssues = defineIssues({
  keyTaken: { code: 'key_taken', message: 'is the key of a record that is not yours to supersede: take another one' },
  audienceWidened: {
    code: 'audience_widened',
    message: 'would show a finding to more readers than the record that it supersedes',
  },
  supersededMeanwhile: {
    code: 'superseded_meanwhile',
    message: 'is not the record that holds under this key: read that one first',
  },
  revokedFinding: { code: 'revoked', message: 'was revoked by an owner: do not publish it again' },
  tooManyRecords: { code: 'too_many_records', message: 'A run or turn publishes at most 50 records.' },
  noWords: { code: 'no_words', message: 'must contain a letter or digit' },
});
