import { describe, expect, it } from '@jest/globals';
import type { Health, ObservationCode } from '../integration.state.ts';
import { checked, edgeBetween, seen } from './health.policy.ts';

const NOW = '2026-01-01T00:00:00.000000Z';
const LATER = '2026-01-01T00:01:00.000000Z';
const GOOD = checked(null, '1.0', [{ scope: 'credential' }, { scope: 'tools' }], NOW);

function afterCalls(health: Health | null, ...codes: readonly (ObservationCode | undefined)[]): Health | null {
  return codes.reduce(
    (known, code) => seen(known, '1.0', { scope: 'tools', ...(code ? { code } : {}) }, LATER),
    health,
  );
}
const toolsIn = (health: Health | null) => health?.observations.find(({ scope }) => scope === 'tools');

describe('calls', () => {
  it('are no news as long as all is well', () => {
    expect(afterCalls(GOOD, undefined, undefined)).toBe(GOOD);
  });

  it('fail with the third failure in a row', () => {
    expect(toolsIn(afterCalls(GOOD, 'unavailable', 'bad_answer'))).toEqual({
      scope: 'tools',
      status: 'verified',
      checkedAt: LATER,
      code: 'bad_answer',
      failures: 2,
    });
    expect(toolsIn(afterCalls(GOOD, 'unavailable', undefined, 'unavailable', 'unavailable'))?.status).toBe('verified');
    expect(toolsIn(afterCalls(GOOD, 'unavailable', 'rate_limited', 'unavailable'))?.status).toBe('failed');
    expect(toolsIn(afterCalls(null, 'unavailable'))?.status).toBe('unknown');
  });

  it('fail with one refused credential', () => {
    expect(toolsIn(afterCalls(GOOD, 'credential_refused'))?.status).toBe('failed');
  });

  it('are well again with one success', () => {
    const failed = afterCalls(GOOD, 'credential_refused');
    expect(afterCalls(failed, undefined)).toEqual({
      ...GOOD,
      observations: [GOOD.observations[0], { ...toolsIn(GOOD), checkedAt: LATER }],
    });
  });

  it('are no news where the same has failed before', () => {
    const failed = afterCalls(GOOD, 'credential_refused');
    expect(afterCalls(failed, 'credential_refused')).toBe(failed);
    expect(toolsIn(afterCalls(failed, 'unavailable'))).toMatchObject({ status: 'failed', code: 'unavailable' });
  });

  it('forget what another generation saw', () => {
    expect(seen(GOOD, '2.0', { scope: 'tools', code: 'unavailable' }, NOW)).toEqual({
      generation: '2.0',
      observations: [{ scope: 'tools', status: 'unknown', checkedAt: NOW, code: 'unavailable', failures: 1 }],
    });
  });
});

describe('the activity log', () => {
  it('is told of edges', () => {
    const failed = afterCalls(GOOD, 'credential_refused');
    expect(edgeBetween(GOOD, failed, '1.0')).toEqual({
      verb: 'integration.degraded',
      details: { scope: 'tools', code: 'credential_refused' },
    });
    expect(
      edgeBetween(failed, checked(failed, '1.0', [{ scope: 'credential', code: 'unavailable' }], NOW), '1.0'),
    ).toBeUndefined();
    expect(edgeBetween(failed, GOOD, '1.0')).toEqual({ verb: 'integration.recovered', details: { scope: 'tools' } });
    expect(edgeBetween(GOOD, GOOD, '1.0')).toBeUndefined();
  });

  it('is not told of reporting', () => {
    const failed = checked(GOOD, '1.0', [{ scope: 'reporting', code: 'unavailable' }], NOW);
    expect(edgeBetween(GOOD, failed, '1.0')).toBeUndefined();
  });
});
