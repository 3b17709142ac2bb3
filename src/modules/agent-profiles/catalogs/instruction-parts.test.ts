import { describe, expect, it } from '@jest/globals';
import { ofBuiltParts } from './instruction-parts.ts';

const some = new Map([
  ['inbox', true],
  ['git', false],
]);
const kept = (text: string) => ofBuiltParts(text, some);

describe('ofBuiltParts', () => {
  it.each([
    ['Plain.\n', 'Plain.\n'],
    ['Ask<!-- if inbox --> by the inbox<!-- /if -->.', 'Ask by the inbox.'],
    ['Push<!-- if git --> a branch<!-- /if -->.', 'Push.'],
    [
      '<!-- if git -->Push<!-- else -->Store<!-- /if --> it, <!-- if inbox -->ask<!-- else -->fail<!-- /if -->.',
      'Store it, ask.',
    ],
    ['- A\n<!-- if git -->\n- B\n- C\n<!-- /if -->\n- D\n', '- A\n- D\n'],
    ['- A\n<!-- if git -->\n- B\n<!-- else -->\n- C\n<!-- /if -->\n- D\n', '- A\n- C\n- D\n'],
    ['| a |\n<!-- if inbox -->\n| b |\n<!-- /if -->\n| c |\n', '| a |\n| b |\n| c |\n'],
    ['A <!-- note --> B', 'A <!-- note --> B'],
  ])('makes %j to %j', (text, expected) => expect(kept(text)).toBe(expected));

  it.each([
    ['an unknown part', '<!-- if mail -->x<!-- /if -->', /no part "mail".*inbox, git/],
    ['one that is not closed', 'x <!-- if inbox --> y', /"<!-- if inbox -->" belongs to no condition/],
    ['one that was not opened', 'x <!-- /if --> y', /"<!-- \/if -->" belongs to no condition/],
    [
      'one inside another',
      '<!-- if git -->a<!-- if inbox -->b<!-- /if --><!-- /if -->',
      /condition of "git" holds another one/,
    ],
    ['a misspelt marker', '<!-- if Inbox -->x<!-- /if -->', /belongs to no condition/],
  ])('refuses %s', (_what, text, message) => expect(() => kept(text)).toThrow(message));
});
