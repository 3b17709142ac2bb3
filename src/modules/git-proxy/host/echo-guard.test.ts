import { describe, expect, it } from '@jest/globals';
import { pktLine } from '../protocol/index.ts';
import { EchoGuard } from './echo-guard.ts';

const SECRET = 'ghs_aaghs_aab';

function passed(pieces: readonly string[], secrets: readonly string[] = [SECRET], hasBands = false) {
  const guard = new EchoGuard(secrets, hasBands);
  const came: string[] = [];
  try {
    for (const piece of pieces) came.push(guard.safe(Buffer.from(piece, 'latin1')).toString('latin1'));
    came.push(guard.rest.toString('latin1'));
  } catch {
    // What it has heard tells.
  }
  return { text: came.join(''), hasHeard: guard.hasHeard };
}

describe('what a host answers', () => {
  it('passes as it is, also where it begins like the secret', () => {
    const texts = ['some bytes', SECRET.slice(0, -1), `${SECRET.slice(0, 6)}${SECRET.slice(0, 6)}`];
    for (const text of texts) {
      for (let cut = 0; cut <= text.length; cut += 1)
        expect(passed([text.slice(0, cut), text.slice(cut)])).toEqual({ text, hasHeard: false });
      expect(passed([...text])).toEqual({ text, hasHeard: false });
    }
  });

  it('ends before the secret, however it is cut', () => {
    const text = `before ${SECRET.slice(0, 5)}${SECRET} behind`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const { text: came, hasHeard } = passed([text.slice(0, cut), text.slice(cut)]);
      expect(hasHeard).toBe(true);
      expect(`before ${SECRET.slice(0, 5)}`.startsWith(came)).toBe(true);
    }
    expect(passed([...text]).text).toBe(`before ${SECRET.slice(0, 5)}`);
  });

  it('is not looked through for what is too short to mean anything', () => {
    expect(passed(['a1b2c3'], ['b2'])).toEqual({ text: 'a1b2c3', hasHeard: false });
  });

  it('ends before the second half of a secret that comes in two lines beside a pack', () => {
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a';
    const line = (text: string) => pktLine(Buffer.from(text, 'latin1')).toString('latin1');
    const pack = line(`\u0001${'PACK'.repeat(50)}`);
    for (const head of [line('NAK\n'), line('packfile\n'), `${line('shallow-info\n')}0001${line('packfile\n')}`]) {
      for (let cut = 1; cut < secret.length; cut += 1) {
        const said = [secret.slice(0, cut), `${secret.slice(cut)} is it\n`];
        const answer = `${head}${pack}${line(`\u0002note ${said[0]}`)}${pack}${line(`\u0002${said[1]}`)}0000`;
        for (const pieces of [[answer], [...answer], [answer.slice(0, 280), answer.slice(280)]]) {
          const { text, hasHeard } = passed(pieces, [secret], true);
          expect(hasHeard).toBe(true);
          expect(text).not.toContain(secret.slice(-8));
        }
      }
    }
  });

  it('passes with its bands as it is', () => {
    const line = (text: string) => pktLine(Buffer.from(text, 'latin1')).toString('latin1');
    const [begun, ended] = [SECRET.slice(0, 5), SECRET.slice(5)];
    const packed = `${line('NAK\n')}${line(`\u0001${begun}`)}${line(`\u0002Counting: 1%\r`)}${line(`\u0001${ended}`)}0000`;
    for (const text of [packed, `${line('NAK\n')}PACK\u0002${begun}`, '', '00', 'no lines at all'])
      for (const pieces of [[text], [...text]])
        expect(passed(pieces, [SECRET], true)).toEqual({ text, hasHeard: false });
  });
});
