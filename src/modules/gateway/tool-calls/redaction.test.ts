import { describe, expect, it } from '@jest/globals';
import { withoutSecrets } from './redaction.ts';

const SECRET = 'CANARY+se/cret 1';

describe('secrets in outputs', () => {
  it.each([
    ['plain', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', encodeURIComponent(SECRET).replaceAll(/%../g, (each) => each.toLowerCase())],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 behind a word', Buffer.from(`Bearer ${SECRET} and more`).toString('base64')],
    ['in base64 behind another', Buffer.from(`key: ${SECRET}`).toString('base64url')],
    ['in base64 behind a third', Buffer.from(`ab${SECRET}`).toString('base64')],
  ])('%s are replaced', (_form, text) => {
    const output = withoutSecrets({ content: [{ type: 'text', text: `before ${text} after` }] }, [SECRET]);
    const [{ text: shown }] = output.content as unknown as [{ text: string }];
    expect(shown).toContain('[redacted]');
    expect(shown.startsWith('before ')).toBe(true);
    expect(shown.endsWith(' after')).toBe(true);
    for (const part of shown.split(/[ [\]]/))
      expect(Buffer.from(part, 'base64').toString()).not.toContain(SECRET.slice(2, -2));
  });

  it('are replaced as JSON in a text has them', () => {
    const secret = 'CANARY"with\\marks';
    const { text } = withoutSecrets({ text: JSON.stringify({ key: secret }) }, [secret]);
    expect(JSON.parse(text)).toEqual({ key: '[redacted]' });
  });

  it('are replaced in names of members too', () => {
    expect(withoutSecrets({ [SECRET]: { nested: [SECRET] } }, [SECRET])).toEqual({
      '[redacted]': { nested: ['[redacted]'] },
    });
  });

  it('leave everything else as it is', () => {
    const output = { content: [{ type: 'text', text: 'CANAR', n: 1, none: null, yes: true }] };
    expect(withoutSecrets(output, [SECRET])).toBe(output);
    expect(withoutSecrets(output, ['', 'abc'])).toBe(output);
    expect(withoutSecrets(output, [])).toBe(output);
  });
});
