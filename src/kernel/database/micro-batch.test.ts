import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { MicroBatch } from './micro-batch.ts';

interface Call {
  readonly key: string;
  readonly value: number;
}

/** A batch whose transactions end when the test says so. */
function held(restMs = 0) {
  const sent: Call[][] = [];
  const open: ((error?: Error) => void)[] = [];
  const batch = new MicroBatch<Call, number>({
    keysOf: ({ key }) => [key],
    restMs,
    undone: (error) => (error as Error).message === 'undone',
    send: (calls) => {
      sent.push([...calls]);
      return new Promise((resolve, reject) => {
        open.push((error) => (error ? reject(error) : resolve(calls.map(({ value }) => value * 10))));
      });
    },
  });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { batch, sent, turn, end: (error?: Error) => open.shift()!(error) };
}

describe('calls that share transactions', () => {
  it('goes out at once when nothing is in flight, and together behind what is', async () => {
    const { batch, sent, turn, end } = held();
    const first = batch.run({ key: 'a', value: 1 });
    await turn();
    const others = [batch.run({ key: 'b', value: 2 }), batch.run({ key: 'c', value: 3 })];
    await turn();
    expect(sent.map((calls) => calls.length)).toEqual([1]);
    end();
    expect(await first).toBe(10);
    await turn();
    expect(sent.map((calls) => calls.length)).toEqual([1, 2]);
    end();
    expect(await Promise.all(others)).toEqual([20, 30]);
  });

  it('goes out at once after a rest, and together with what comes within one', async () => {
    const { batch, sent, turn, end } = held(300);
    const first = batch.run({ key: 'a', value: 1 });
    await turn();
    end();
    expect(await first).toBe(10);
    const second = batch.run({ key: 'b', value: 2 });
    await turn();
    const third = batch.run({ key: 'c', value: 3 });
    await until('the second transaction', () => sent.length > 1);
    end();
    expect(await Promise.all([second, third])).toEqual([20, 30]);
    expect(sent.map((calls) => calls.length)).toEqual([1, 2]);
  });

  it('does not rest where many came together', async () => {
    const { batch, sent, turn, end } = held(60_000);
    const first = batch.run({ key: 'a', value: 1 });
    await turn();
    end();
    expect(await first).toBe(10);
    const others = [2, 3, 4, 5].map((value) => batch.run({ key: String(value), value }));
    await turn();
    end();
    expect(await Promise.all(others)).toEqual([20, 30, 40, 50]);
    expect(sent.map((calls) => calls.length)).toEqual([1, 4]);
  });

  it('holds one call a key, in order', async () => {
    const { batch, sent, turn, end } = held();
    const answers = [1, 2, 3].map((value) => batch.run({ key: 'a', value }));
    for (let call = 0; call < 3; call += 1) {
      await turn();
      end();
    }
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
    expect(sent.map((calls) => calls.map(({ value }) => value))).toEqual([[1], [2], [3]]);
  });

  it('holds no more calls than a transaction takes', async () => {
    const { batch, sent, turn, end } = held();
    const answers = Array.from({ length: 201 }, (_, value) => batch.run({ key: String(value), value }));
    await turn();
    end();
    await turn();
    end();
    await Promise.all(answers);
    expect(sent.map((calls) => calls.length)).toEqual([200, 1]);
  });
});

describe('a transaction that failed', () => {
  it('is narrowed down to the call at fault, while others go on', async () => {
    const { batch, sent, turn, end } = held();
    const good = batch.run({ key: 'a', value: 1 });
    const bad = batch.run({ key: 'b', value: 2 });
    await turn();
    end(new Error('undone'));
    const later = batch.run({ key: 'c', value: 3 });
    await turn();
    expect(sent.map((calls) => calls.map(({ key }) => key))).toEqual([['a', 'b'], ['a'], ['b'], ['c']]);
    end();
    end(new Error('undone'));
    end();
    expect(await good).toBe(10);
    await expect(bad).rejects.toThrow('undone');
    expect(await later).toBe(30);
  });

  it('is not sent again where it may have committed', async () => {
    const { batch, sent, turn, end } = held();
    const answers = Promise.allSettled([batch.run({ key: 'a', value: 1 }), batch.run({ key: 'b', value: 2 })]);
    await turn();
    end(new Error('connection lost'));
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
  });
});
