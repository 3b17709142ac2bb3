import { expect, it } from '@jest/globals';
import { withinLimit } from './within-limit.ts';

async function* numbers(count: number, then: () => Promise<unknown>): AsyncGenerator<number> {
  for (let number = 1; number <= count; number += 1) yield number;
  await then();
}

const never = () => new Promise<never>(() => undefined);
async function listOf(source: AsyncGenerator<number>): Promise<number[]> {
  const list: number[] = [];
  for await (const each of source) list.push(each);
  return list;
}

it('passes on everything of a source that ends in time', async () => {
  expect(
    await listOf(
      withinLimit(
        numbers(3, async () => undefined),
        60_000,
        -1,
      ),
    ),
  ).toEqual([1, 2, 3]);
});

it('ends with the last word when the source hangs', async () => {
  expect(await listOf(withinLimit(numbers(2, never), 20, -1))).toEqual([1, 2, -1]);
});

it('passes on an error of the source', async () => {
  const failing = numbers(1, () => Promise.reject(new Error('broken')));
  await expect(listOf(withinLimit(failing, 60_000, -1))).rejects.toThrow('broken');
});
