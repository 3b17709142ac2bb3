import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { approvedPieces, commandBytes, PackDamaged } from './push-bytes.ts';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const PUSH = {
  repository: 'acme/shop',
  ref: 'refs/heads/main',
  oldOid: OLD,
  newOid: NEW,
  shallow: [],
  packSha256: '',
  packBytes: 0,
};
const offering = (...names: string[]) => ({ names: new Set(names), objectFormat: 'sha1' });

describe('the command of a push', () => {
  it('has the shallow lines as git sends them, and asks for what the host offers', () => {
    const text = commandBytes(
      { ...PUSH, shallow: [OLD] },
      offering('report-status', 'report-status-v2', 'side-band-64k', 'object-format', 'agent', 'atomic', 'delete-refs'),
    ).toString('latin1');
    const own = 'report-status side-band-64k object-format=sha1 agent=service-integration';
    expect(text).toBe(`0035shallow ${OLD}\n00af${OLD} ${NEW} refs/heads/main\0 ${own}0000`);
  });

  it('asks an old host for no more than it has', () => {
    expect(commandBytes(PUSH, offering('report-status')).toString('latin1')).toMatch(/main\0 report-status0000$/);
  });
});

describe('the pieces of a pack', () => {
  const pieces = ['PACK', 'the', 'rest'].map((each) => Buffer.from(each));
  const whole = Buffer.concat(pieces);
  const approved = { packSha256: sha256(whole).toString('hex'), packBytes: whole.length };
  const taken = async (of: typeof approved, from: readonly Buffer[]) => {
    const got: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of approvedPieces(of, Readable.from(from))) got.push(piece);
    })();
    return { error: await reading.catch((error: unknown) => error), text: Buffer.concat(got).toString() };
  };

  it('come as they are', async () => {
    expect(await taken(approved, pieces)).toEqual({ error: undefined, text: 'PACKtherest' });
    const none = { packSha256: sha256('').toString('hex'), packBytes: 0 };
    expect(await taken(none, [])).toEqual({ error: undefined, text: '' });
  });

  it.each([
    ['others', [...pieces.slice(0, 2), Buffer.from('REST')], 'PACKthe'],
    ['more', [...pieces, Buffer.from('more')], 'PACKtherest'],
    ['fewer', pieces.slice(0, 2), 'PACK'],
  ])('never all come where they are %s', async (_, from, text) => {
    expect(await taken(approved, from)).toEqual({ error: expect.any(PackDamaged), text });
  });
});
