import { describe, expect, it } from '@jest/globals';
import { createLogger, redact } from './logger.ts';

describe('redact', () => {
  it.each([
    ['token brt_abcdefgh1234567890CANARY', 'token brt_abcdefgh[redacted]'],
    ['{"authorization":"Bearer s3cret-CANARY"}', '{"authorization":"Bearer [redacted]"}'],
    ['postgresql://user:p4ss-CANARY@db:5432/x', 'postgresql://user:[redacted]@db:5432/x'],
    ['capability eyJhbGciOiJ.eyJpc3Mi-CANARY.c2ln_CANARY', 'capability eyJhbGc[redacted]'],
    ['nothing to hide', 'nothing to hide'],
  ])('%s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });
});

describe('createLogger', () => {
  it('redacts credentials in nested fields and in messages', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    logger.info({ deep: { header: 'Bearer CANARY-1' } }, 'used brt_12345678CANARY-2');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('CANARY');
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', msg: 'used brt_12345678[redacted]' });
  });
});
