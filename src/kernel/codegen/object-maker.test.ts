import { describe, expect, it } from '@jest/globals';
import { objectMaker } from './object-maker.ts';

const plain = { convert: undefined, required: false };

describe('an object maker', () => {
  it('takes values by index or by name, and leaves out everything else', () => {
    expect(objectMaker([{ ...plain, name: 'b', from: 1 }])(['x', 'y'])).toEqual({ b: 'y' });
    expect(objectMaker([{ ...plain, name: 'b', from: 'b' }])({ a: 1, b: 2 })).toEqual({ b: 2 });
  });

  it('converts what is there, and leaves null and undefined as they are', () => {
    const make = objectMaker([{ name: 'a', from: 'a', convert: (text: string) => Number(text), required: false }]);
    expect([{ a: '5' }, { a: null }, {}].map(make)).toEqual([{ a: 5 }, { a: null }, { a: undefined }]);
  });

  it('makes null of null, and an error of what is required and missing', () => {
    const make = objectMaker([{ ...plain, name: 'a', from: 'a', required: true }]);
    expect([make(null), make({ a: null })]).toEqual([null, { a: null }]);
    expect(() => make({})).toThrow(new TypeError('An answer lacks its "a".'));
  });

  it.each(['"', '\\', '\n', '\u2028', '`${1}`', '"]: evil(), ["', 'constructor', '', '0'])(
    'takes %j for a name',
    (name) => {
      const make = objectMaker([{ ...plain, name, from: name, required: true }]);
      expect(make({ [name]: 1 })).toEqual({ [name]: 1 });
    },
  );
});
