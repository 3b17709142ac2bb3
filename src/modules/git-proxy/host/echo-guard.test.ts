import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { EchoGuard } from './echo-guard.ts';

const SECRET = 'ghs_aaghs_aab';

async function passed(pieces: readonly string[], secrets: readonly string[] = [SECRET]) {
  const guard = new EchoGuard(secrets);
  const came: string[] = [];
  try {
    for await (const piece of guard.passed(Readable.from(pieces.map((piece) => Buffer.from(piece)))))
      came.push(Buffer.from(piece).toString());
  } catch {
    // What it has heard tells.
  }
  return { text: came.join(''), hasHeard: guard.hasHeard };
}

describe('what a host answers', () => {
  it('passes as it is, also where it begins like the secret', async () => {
    const texts = ['some bytes', SECRET.slice(0, -1), `${SECRET.slice(0, 6)}${SECRET.slice(0, 6)}`];
    for (const text of texts) {
      for (let cut = 0; cut <= text.length; cut += 1)
        expect(await passed([text.slice(0, cut), text.slice(cut)])).toEqual({ text, hasHeard: false });
      expect(await passed([...text])).toEqual({ text, hasHeard: false });
    }
  });

  it('ends before the secret, however it is cut', async () => {
    const text = `before ${SECRET.slice(0, 5)}${SECRET} behind`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const { text: came, hasHeard } = await passed([text.slice(0, cut), text.slice(cut)]);
      expect(hasHeard).toBe(true);
      expect(`before ${SECRET.slice(0, 5)}`.startsWith(came)).toBe(true);
    }
    expect((await passed([...text])).text).toBe(`before ${SECRET.slice(0, 5)}`);
  });

  it('is not looked through for what is too short to mean anything', async () => {
    expect(await passed(['a1b2c3'], ['b2'])).toEqual({ text: 'a1b2c3', hasHeard: false });
  });
});
