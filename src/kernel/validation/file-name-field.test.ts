import { describe, expect, it } from '@jest/globals';
import { baseNameOf } from './file-name-field.ts';

describe('baseNameOf', () => {
  it.each([
    ['orders.csv', 'orders.csv'],
    ['Übersicht "März" (2).csv', 'Übersicht "März" (2).csv'],
    ['/home/ada/orders.csv', 'orders.csv'],
    ['C:\\Users\\Ada\\orders.csv', 'orders.csv'],
    ['..\\../orders.csv', 'orders.csv'],
    ['reports/', 'reports'],
    ['  a\tb\r\n\0.txt ', 'ab.txt'],
    ['bill\u202Egpj.exe', 'billgpj.exe'],
    ['\u2066a\u2069\u200F.txt', 'a.txt'],
    ['a\u2028b.txt', 'ab.txt'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
    ['نامه\u200Cها.txt', 'نامه\u200Cها.txt'],
    ['.env', '.env'],
    ['…', '…'],
  ])('makes of %j %j', (name, base) => expect(baseNameOf(name)).toBe(base));

  it.each(['', '.', '..', '/', '\\', '/..', '\u202E', '\u200B', ' \t', 'a/\u200D'])('finds no name in %j', (name) =>
    expect(baseNameOf(name)).toBe(''),
  );
});
