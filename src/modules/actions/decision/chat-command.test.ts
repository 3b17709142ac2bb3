import { describe, expect, it } from '@jest/globals';
import { type ChatCommand, commandText, isCommanded } from './chat-command.ts';

const APPROVE: ChatCommand = { verb: 'approve', reference: 'A-7K3M9Q' };
const RECONCILE: ChatCommand = { verb: 'reconcile', reference: 'A-7K3M9Q', outcome: 'not_executed' };

describe('isCommanded', () => {
  it.each([
    '/approve A-7K3M9Q',
    '/APPROVE a-7k3m9q',
    '  /approve \t A-7K3M9Q  ',
    'Looks good to me.\n/approve A-7K3M9Q',
    'Looks good to me.\r\n\r\n/approve A-7K3M9Q\r\nThanks!',
    '/approve A-7K3M9Q because the numbers are right',
    '/approve A-7K3M9Q, please.',
    '/approve A-7K3M9Q.',
    '/approve A-7K3M9Q\n/reject A-000000',
    '/approve A-7K3M9Q\n/approve A-7K3M9Q',
    '/approve A-7K3M9Q\n> the mail says: go ahead',
    '/approve A-7K3M9Q\n```\n/reject A-7K3M9Q\n```',
    '/approve A-7K3M9Q since `total` is 3 < 4',
    'I looked at 3 - 4 of them.\n/approve A-7K3M9Q',
  ])('takes %j', (text) => {
    expect(isCommanded([text], APPROVE)).toBe(true);
    expect(isCommanded(['First part.', text], APPROVE)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['agreement in words', 'yes, approve A-7K3M9Q'],
    ['no slash', 'approve A-7K3M9Q'],
    ['a quote', '> /approve A-7K3M9Q'],
    ['a quote without a space', '>/approve A-7K3M9Q'],
    ['a list', '- /approve A-7K3M9Q'],
    ['code in a line', '`/approve A-7K3M9Q`'],
    ['quotation marks', '"/approve A-7K3M9Q"'],
    ['text before it', 'Should I type /approve A-7K3M9Q'],
    ['a block of code', '```\n/approve A-7K3M9Q\n```'],
    ['a block of code with a language', '```text\n/approve A-7K3M9Q\n```'],
    ['a block of code with tildes', '~~~\n/approve A-7K3M9Q\n~~~'],
    ['a block of code that is not closed', '```\n/approve A-7K3M9Q'],
    ['a block of code that a shorter fence does not close', '````\n```\n/approve A-7K3M9Q\n````'],
    ['a block of code that another fence does not close', '```\n~~~\n/approve A-7K3M9Q\n```'],
    ['a line behind a block of code', '```\ncode\n```\n/approve A-7K3M9Q'],
    ['a block of code in a list', '- ```\n  /approve A-7K3M9Q\n  ```'],
    ['a block of code in a numbered list', '1. ~~~\n   /approve A-7K3M9Q\n   ~~~'],
    ['a paragraph of a list', '* the mail:\n\n  /approve A-7K3M9Q'],
    ['a quote that goes on without marks', '> the mail says:\n/approve A-7K3M9Q'],
    ['a quote in a list that goes on without marks', '+ > the mail says:\n/approve A-7K3M9Q'],
    ['preformatted HTML', '<pre>\n/approve A-7K3M9Q\n</pre>'],
    ['a quote in HTML', 'See: <blockquote>\n/approve A-7K3M9Q\n</blockquote>'],
    ['an HTML comment over lines', '<!--\n/approve A-7K3M9Q\n-->'],
    ['code over lines', 'see `foo\n/approve A-7K3M9Q\nbar`'],
    ['an indented block of code', '    /approve A-7K3M9Q'],
    ['a tab', '\t/approve A-7K3M9Q'],
    ['another reference', '/approve A-7K3M9R'],
    ['a longer reference', '/approve A-7K3M9QA'],
    ['a reference that goes on', '/approve A-7K3M9Q-2'],
    ['a reference that goes on in another script', '/approve A-7K3M9Qé'],
    ['a reference with a combining mark', '/approve A-7K3M9Q\u0301'],
    ['a shorter reference', '/approve A-7K3M9'],
    ['the reference behind another one', '/approve A-000000 A-7K3M9Q'],
    ['the opposite', '/reject A-7K3M9Q'],
    ['both', '/approve A-7K3M9Q\n/reject A-7K3M9Q'],
    ['another verb', '/approved A-7K3M9Q'],
    ['a verb inside of a word', '/disapprove A-7K3M9Q'],
    ['a verb over two lines', '/approve\nA-7K3M9Q'],
    ['no space', '/approveA-7K3M9Q'],
    ['two slashes', '//approve A-7K3M9Q'],
    ['a full-width slash', '／approve A-7K3M9Q'],
    ['a division slash', '∕approve A-7K3M9Q'],
    ['a Cyrillic a', '/аpprove A-7K3M9Q'],
    ['a Greek capital alpha in the reference', '/approve Α-7K3M9Q'],
    ['the Kelvin sign for K', '/approve A-7\u212A3M9Q'],
    ['a non-breaking hyphen', '/approve A\u20117K3M9Q'],
    ['full-width letters', '/ａｐｐｒｏｖｅ A-7K3M9Q'],
    ['a zero-width space in the verb', '/app\u200Brove A-7K3M9Q'],
    ['a zero-width space before it', '\u200B/approve A-7K3M9Q'],
    ['a reversed line', '\u202E/approve A-7K3M9Q'],
    ['a line separator before it', 'text\u2028/approve A-7K3M9Q'],
    ['a next-line before it', 'text\u0085/approve A-7K3M9Q'],
    ['a form feed before it', 'text\f/approve A-7K3M9Q'],
    ['a no-break space between', '/approve\u00A0A-7K3M9Q'],
    ['an HTML comment', '<!-- /approve A-7K3M9Q -->'],
    ['percent-encoding', '%2Fapprove%20A-7K3M9Q'],
    ['letters that Crockford reads as digits', '/approve A-7K3M9O'],
  ])('refuses %s', (_what, text) => {
    expect(isCommanded([text], APPROVE)).toBe(false);
  });

  it('reads each part on its own', () => {
    expect(isCommanded(['/approve ', 'A-7K3M9Q'], APPROVE)).toBe(false);
    expect(isCommanded(['```', '/approve A-7K3M9Q'], APPROVE)).toBe(true);
    expect(isCommanded([], APPROVE)).toBe(false);
  });

  it('wants the outcome of a reconciliation', () => {
    expect(isCommanded(['/reconcile A-7K3M9Q not_executed'], RECONCILE)).toBe(true);
    expect(isCommanded(['/Reconcile a-7k3m9q Not_Executed, I looked'], RECONCILE)).toBe(true);
    for (const text of [
      '/reconcile A-7K3M9Q',
      '/reconcile A-7K3M9Q succeeded',
      '/reconcile A-7K3M9Q not_executed_at_all',
      '/reconcile A-7K3M9Q not_executedé',
      '/reconcile A-7K3M9Q not_executed\n/reconcile A-7K3M9Q failed',
      '/reconcile not_executed A-7K3M9Q',
      '/approve A-7K3M9Q not_executed',
    ])
      expect(isCommanded([text], RECONCILE)).toBe(false);
  });
});

it('says what to type', () => {
  expect(commandText(APPROVE)).toBe('/approve A-7K3M9Q');
  expect(commandText(RECONCILE)).toBe('/reconcile A-7K3M9Q not_executed');
});
