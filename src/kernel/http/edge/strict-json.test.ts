import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../errors/index.ts';
import { parseStrictJson } from './strict-json.ts';

/** `code` or `code at path` of the one issue with which a text is refused. */
function refusal(text: string): string {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [issue] = error.issues ?? [];
    return [issue?.code, issue?.path].filter(Boolean).join(' at ');
  }
  throw new Error(`Accepted: ${text.slice(0, 100)}`);
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads', () => {
    const text = '{"a":[1,-2.5,1e3,true,null,"\\u00e9 \\"{[:\\\\"],"b\\\\":{"":{}},"c":"\\ud83d\\ude00"}';
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    expect(parseStrictJson('null')).toBeNull();
  });

  it('reads an empty body as no body', () => {
    expect(parseStrictJson('')).toBeUndefined();
    expect(parseStrictJson('\uFEFF')).toBeUndefined();
  });

  it('skips one byte order mark', () => {
    expect(parseStrictJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
    expect(refusal('\uFEFF\uFEFF{}')).toBe('malformed_json');
  });

  it.each(['{', '{"a":1,}', "{'a':1}", ' ', 'NaN', '"a\nb"', '"a\0b"', '{}\uFEFF', '01', '{} {}'])(
    'refuses malformed JSON: %j',
    (text) => {
      expect(refusal(text)).toBe('malformed_json');
    },
  );

  it('counts depth, not brackets', () => {
    expect(parseStrictJson(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(parseStrictJson(`["${'['.repeat(100)}\\"${'{'.repeat(100)}"]`)).toHaveLength(1);
    expect(parseStrictJson(`[${'[],'.repeat(100)}[]]`)).toHaveLength(101);
    expect(refusal(nested(65))).toBe('too_deep');
    expect(refusal('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toBe('too_deep');
  });

  it('refuses 200,000 levels without running out of stack', () => {
    expect(refusal(nested(200_000))).toBe('too_deep');
  });

  it.each([
    ['9007199254740992', 'inexact_number'],
    ['-9007199254740993', 'inexact_number'],
    ['{"a":{"b":[0,12345678901234567890]}}', 'inexact_number at a.b.1'],
    ['[9007199254740993.0]', 'inexact_number at 0'],
    ['[1e400]', 'inexact_number at 0'],
    ['[1e16]', 'inexact_number at 0'],
    ['1.0000000000000000001', 'inexact_number'],
    ['{"a:[":["b,"],"c\\u0022":{"d":[true,{},0.5,0.99999999999999999999]}}', 'inexact_number at c".d.3'],
    ['{"a":[[],{"b":1e-400}]}', 'inexact_number at a.1.b'],
  ])('refuses an integer that would be rounded: %s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it('keeps the largest exact integers, fractions and digits in text', () => {
    const text =
      '[9007199254740991,-9007199254740991,9007199254740991.0,0.1234567890123456,1e3,120e-1,1e-300,"1.0000000000000000001"]';
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['"\\u0000"', 'invalid_text'],
    ['{"a":["x","\\ud800"]}', 'invalid_text at a.1'],
    ['{"a":"\\udc00\\ud800"}', 'invalid_text at a'],
    ['{"a":{"k\\u0000":1}}', 'invalid_text at a'],
    ['{"\\udfff":1}', 'invalid_text'],
  ])('refuses NUL and lone surrogates: %s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it.each([
    ['{"__proto__":{}}', 'forbidden_key at __proto__'],
    ['{"a":[{"constructor":{}}]}', 'forbidden_key at a.0.constructor'],
    ['{"prototype":1}', 'forbidden_key at prototype'],
    ['{"\\u005f_proto__":1}', 'forbidden_key at __proto__'],
  ])('refuses keys that reach a prototype: %s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it.each(['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]', '{"a": {"x":1,"y":2} , "a": {}}'])(
    'refuses a key that is named twice: %s',
    (text) => {
      expect(refusal(text)).toBe('duplicate_key');
    },
  );

  it('does not take the same key of two objects for a duplicate', () => {
    expect(parseStrictJson('{"a":{"a":[{"a":":"},{"a":"\\":"}]}}')).toEqual({ a: { a: [{ a: ':' }, { a: '":' }] } });
  });

  it('mends what cannot be stored where it is told to, in texts and not in keys', () => {
    const text = '{"a":["x\\u0000y",{"b":"\\ud83d"}],"c":"\\ud83d\\ude00"}';
    expect(refusal(text)).toBe('invalid_text at a.0');
    expect(parseStrictJson(text, { mendsText: true })).toEqual({ a: ['x\uFFFDy', { b: '\uFFFD' }], c: '\u{1F600}' });
    expect(() => parseStrictJson('{"a\\u0000":1}', { mendsText: true })).toThrow(ApiError);
    expect(() => parseStrictJson(`["\\u0000",${nested(200_000)}]`, { mendsText: true })).toThrow(ApiError);
  });

  it.each([
    ['an object', '{},'],
    ['a list', '[],'],
    ['a number', '1,'],
    ['a text', '"a",'],
    ['a list in a list', `${nested(60)},`],
    ['a key', '{"a":1},'],
  ])('refuses %s some hundred thousand times before making anything of it', (_what, part) => {
    const before = process.memoryUsage().heapUsed;
    expect(refusal(`[${part.repeat(1_000_000 / part.length)}0]`)).toBe('too_many_values');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024);
  });

  it('reads as many as a free field of 256 KiB may hold', () => {
    for (const part of ['{},', '[],', '1,', '"",', '{"":0},'])
      expect(parseStrictJson(`[${part.repeat((256 * 1024) / part.length)}0]`)).toHaveLength(
        Math.floor((256 * 1024) / part.length) + 1,
      );
  });
});
