import { describe, expect, it } from '@jest/globals';
import type { ApiError, Issue } from '../errors/index.ts';
import {
  Flag,
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  PartialUpdate,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
  ValidationPipe,
} from './index.ts';

class Part {
  @Text({ max: 3 })
  label!: string;
}

class Shape {
  @Text({ max: 5, optional: true })
  text?: string;
  @Text({ nullable: true, optional: true })
  note?: string | null;
  @Slug({ optional: true })
  slug?: string;
  @Uuid({ optional: true })
  id?: string;
  @Timestamp({ optional: true })
  at?: string;
  @Integer({ min: 1, max: 10, optional: true })
  count?: number;
  @Flag({ optional: true })
  on?: boolean;
  @OneOf(['a', 'b'], { optional: true })
  word?: string;
  @ListOf(['a', 'b'], { optional: true })
  words?: string[];
  @TextList({ optional: true, max: 2 })
  texts?: string[];
  @Nested(() => Part, { optional: true })
  part?: Part;
  @NestedList(() => Part, { optional: true, max: 2 })
  parts?: Part[];
}

class Needs {
  @Text()
  name!: string;
  @Nested(() => Part)
  part!: Part;
}

const pipe = new ValidationPipe();

function issues(value: unknown, shape: new () => object = Shape, type: 'body' | 'query' = 'body'): string[] {
  try {
    pipe.transform(value, { type, metatype: shape });
  } catch (error) {
    return ((error as ApiError).issues as Issue[]).map(({ path, code }) => `${path}:${code}`);
  }
  return [];
}

describe('a body', () => {
  it.each<[unknown, string[]]>([
    [{}, []],
    [
      { text: 'abcde', note: null, slug: 'a-1', count: 10, on: false, word: 'b', words: ['a'], part: { label: 'x' } },
      [],
    ],
    [[], [':wrong_type']],
    ['text', [':wrong_type']],
    [{ text: 'abcdef' }, ['text:invalid_length']],
    [{ text: '' }, ['text:invalid_length']],
    [{ text: '🦊🦊🦊🦊🦊' }, []],
    [{ text: null, words: null, part: null }, []],
    [{ text: 5 }, ['text:wrong_type']],
    [{ text: '\ud800' }, ['text:invalid_text']],
    [{ slug: 'A' }, ['slug:invalid_slug']],
    [{ slug: 'a--b' }, ['slug:invalid_slug']],
    [{ slug: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' }, ['slug:invalid_slug']],
    [{ id: 'x' }, ['id:invalid_uuid']],
    [{ at: '2026-03-01' }, ['at:invalid_timestamp']],
    [{ at: '2026-02-30T00:00:00Z' }, ['at:invalid_timestamp']],
    [{ at: '2026-03-01T09:30:00.1234567Z' }, []],
    [{ at: '2026-03-01T09:30:00+02:00' }, []],
    [{ count: '5' }, ['count:wrong_type']],
    [{ count: 1.5 }, ['count:wrong_type']],
    [{ count: 11 }, ['count:out_of_range']],
    [{ on: 'true' }, ['on:wrong_type']],
    [{ word: 'c' }, ['word:unknown_value']],
    [{ words: 'a' }, ['words:wrong_type']],
    [{ words: ['a', 'a'] }, ['words:duplicate_item']],
    [{ words: ['c'] }, ['words:invalid_item']],
    [{ texts: ['a', 'b', 'c'] }, ['texts:invalid_length']],
    [{ texts: [{}] }, ['texts:invalid_item']],
    [{ part: { label: 'long' } }, ['part.label:invalid_length']],
    [{ part: { other: 1 } }, ['part.other:unknown_property', 'part.label:required']],
    [{ part: [] }, ['part:wrong_type']],
    [{ part: 'x' }, ['part:wrong_type']],
    [{ parts: [{ label: 'x' }, { label: 'long' }] }, ['parts.1.label:invalid_length']],
    [{ parts: [null] }, ['parts.0:wrong_type']],
    [{ parts: {} }, ['parts:wrong_type']],
    [{ parts: [[{ label: 'x' }]] }, ['parts:wrong_type']],
    [{ toString: 1 }, ['toString:unknown_property']],
    [{ part: { label: 'x', valueOf: 1 } }, ['part.valueOf:unknown_property']],
    [JSON.parse('{"__proto__":{"label":"x"}}'), ['__proto__:unknown_property']],
    [JSON.parse('{"parts":[{"__proto__":{}}]}'), ['parts.0.__proto__:unknown_property']],
    [{ other: 1, another: 2 }, ['other:unknown_property', 'another:unknown_property']],
  ])('%j has the issues %j', (body, expected) => {
    expect(issues(body)).toEqual(expected);
  });

  it('says of an item that is no object what it must be', () => {
    try {
      pipe.transform({ parts: ['x'] }, { type: 'body', metatype: Shape });
    } catch (error) {
      expect((error as ApiError).issues).toEqual([
        { path: 'parts.0', code: 'wrong_type', message: 'must be an object' },
      ]);
    }
    expect.assertions(1);
  });

  it('names what is missing once', () => {
    expect(issues({}, Needs)).toEqual(['name:required', 'part:required']);
    expect(issues(undefined, Needs)).toEqual(['name:required', 'part:required']);
  });

  it('leaves out what was not sent', () => {
    const body = pipe.transform({ text: 'a' }, { type: 'body', metatype: Shape }) as Shape;
    expect(Object.keys(body)).toEqual(['text']);
  });

  it('takes null for no value, except where only what is named changes', () => {
    @PartialUpdate()
    class Change extends Shape {}
    expect(pipe.transform({ text: null, note: null }, { type: 'body', metatype: Shape })).toEqual({ note: null });
    expect(issues({ text: null, note: null }, Change)).toEqual(['text:wrong_type']);
  });

  it('says of a list that is too long how long it may be, and nothing of its items', () => {
    expect(issues({ parts: Array.from({ length: 1_001 }, () => ({})) })).toEqual(['parts:invalid_length']);
    expect(issues({ part: [{ other: 1 }] })).toEqual(['part:wrong_type']);
  });

  it('bounds the issues it lists', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, n]));
    expect(issues(many)).toHaveLength(100);
  });
});

describe('a query', () => {
  it('reads numbers, flags and repeated words from text', () => {
    const query = pipe.transform({ count: '5', on: 'true', words: 'a' }, { type: 'query', metatype: Shape });
    expect(query).toMatchObject({ count: 5, on: true, words: ['a'] });
  });

  it.each(['5.5', '1e1', '0x5', ' 5', ''])('takes %j for no integer', (count) => {
    expect(issues({ count }, Shape, 'query')).toEqual(['count:wrong_type']);
  });

  it('refuses what would change the prototype', () => {
    expect(issues(JSON.parse('{"__proto__":"x"}'), Shape, 'query')).toEqual(['__proto__:unknown_property']);
  });

  it('refuses a repeated single parameter', () => {
    expect(issues({ word: ['a', 'b'] }, Shape, 'query')).toEqual(['word:wrong_type']);
  });
});
