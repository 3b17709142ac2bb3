import { describe, expect, it } from '@jest/globals';
import { SharedReads } from './shared-reads.ts';
import { sql } from '../sql/index.ts';

const access = {
  organizationId: 'acme',
  line: { lane: 'ordinary', key: 'acme' },
  statements: [],
  admit: () => undefined,
  gone: { status: 404, code: 'gone', message: 'Gone.' },
} as const;

/** Answers each statement with its text; `fail` names those that undo their transaction. */
function reads({ fail = [], connection }: { fail?: readonly string[]; connection?: Promise<void> } = {}) {
  const sent: string[][] = [];
  const shared = new SharedReads(async (_entry, taken) => {
    await connection;
    const texts = taken().map(({ text }) => text);
    sent.push(texts);
    if (texts.some((text) => fail.includes(text))) throw Object.assign(new Error('refused'), { code: '22P02' });
    return Promise.resolve(texts.map((text) => [text]));
  });
  return {
    sent,
    read: (name: string, ...texts: string[]) =>
      shared.run(
        name,
        access,
        texts.map((text) => sql.raw(text)),
      ),
  };
}

describe('reads of one caller in one turn', () => {
  it('go together, and each gets the rows of its own statements', async () => {
    const { sent, read } = reads();
    const answers = await Promise.all([read('ada acme', 'a'), read('ada acme', 'b', 'c'), read('bo acme', 'd')]);
    expect(answers).toEqual([[['a']], [['b'], ['c']], [['d']]]);
    expect(sent).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('go together too while their connection is not there', async () => {
    const connection = Promise.withResolvers<void>();
    const { sent, read } = reads({ connection: connection.promise });
    const early = [read('ada acme', 'a'), read('bo acme', 'b')];
    await new Promise(setImmediate);
    const late = read('ada acme', 'c');
    connection.resolve();
    expect(await Promise.all([...early, late])).toEqual([[['a']], [['b']], [['c']]]);
    expect(sent).toEqual([['a', 'c'], ['b']]);
  });

  it('are at most eight', async () => {
    const { sent, read } = reads();
    await Promise.all(Array.from({ length: 9 }, (_, index) => read('ada acme', String(index))));
    expect(sent.map((texts) => texts.length)).toEqual([8, 1]);
  });

  it('fail alone', async () => {
    const { sent, read } = reads({ fail: ['bad'] });
    const answers = await Promise.allSettled([read('ada acme', 'a'), read('ada acme', 'bad'), read('ada acme', 'c')]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(sent).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  });

  it('wait for nothing that comes later', async () => {
    const { sent, read } = reads();
    await read('ada acme', 'a');
    await read('ada acme', 'b');
    expect(sent).toEqual([['a'], ['b']]);
  });
});
