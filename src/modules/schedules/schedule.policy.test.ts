import { describe, expect, it } from '@jest/globals';
import { isSlug } from '../../kernel/validation/index.ts';
import { type ActingProfile, keyFrom, mayChange } from './schedule.policy.ts';

const growth: ActingProfile = { id: 'growth', key: 'growth', kind: 'department', department: 'growth' };
const chat: ActingProfile = { id: 'chat', key: 'chat', kind: 'chat', department: null };
const operator: ActingProfile = { id: 'operator', key: 'operator', kind: 'operator', department: null };

describe('mayChange', () => {
  it.each([
    [growth, 'user', 'growth', true],
    [growth, 'agent', 'growth', true],
    [growth, 'user', 'support', false],
    [growth, 'agent', 'support', false],
    [chat, 'user', 'growth', true],
    [chat, 'agent', 'growth', false],
    [chat, 'agent', 'chat', true],
    [operator, 'user', 'growth', true],
    [operator, 'agent', 'growth', false],
    [operator, 'agent', 'operator', true],
    [null, 'agent', 'growth', true],
    [null, 'user', 'growth', true],
    [null, 'system', 'growth', false],
    [growth, 'system', 'growth', false],
    [chat, 'system', 'chat', false],
    [operator, 'system', 'operator', false],
  ] as const)('%j changes one of origin %s that %s owns: %s', (profile, origin, agentProfileId, allowed) => {
    expect(mayChange(profile, { origin, agentProfileId })).toBe(allowed);
  });
});

describe('keyFrom', () => {
  it.each([
    ['Weekly growth report', 'weekly-growth-report'],
    ['Über Größe!', 'uber-grosse'],
    ['…', 'schedule'],
    ['0199C9A4-5b1e-7c3a-9f42-1c8f6f0f2a11', 'schedule-0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11'],
    ['x'.repeat(200), 'x'.repeat(90)],
  ])('makes of %j %j', (name, key) => {
    expect(keyFrom(name)).toBe(key);
    expect(isSlug(key)).toBe(true);
  });
});
