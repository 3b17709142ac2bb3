import { expect, it } from '@jest/globals';
import { isUuid } from '../validation/index.ts';
import { newId } from './index.ts';

it('makes UUIDs of version 7 in the order in which they are asked for', () => {
  const ids = Array.from({ length: 2_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});
