import { expect, it } from '@jest/globals';
import { printable } from './printable.ts';

it('lets no text command the terminal', () => {
  expect(printable('a\u001B[2J\u009BH\rb\u202E00.1$')).toBe(String.raw`a\u{1b}[2J\u{9b}H\u{d}b\u{202e}00.1$`);
});

it('leaves what people write', () => {
  expect(printable('a\tb\r\nשלום 👩‍🚀')).toBe('a\tb\nשלום 👩‍🚀');
});
