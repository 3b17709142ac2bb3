import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';

describe('createLogger', () => {
  it('redacts credentials in nested fields and in messages', () => {
    const lines: string[] = [];
    const logger = createLogger('info', ['own-token-of-32-characters-CANARY'], {
      write: (line) => void lines.push(line),
    });
    logger.info(
      { deep: { header: 'Bearer CANARY-1' } },
      'used brt_12345678CANARY-2, then own-token-of-32-characters-CANARY',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('CANARY');
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', msg: 'used brt_12345678[redacted], then [redacted]' });
  });
});
