import { describe, expect, it } from '@jest/globals';
import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { actorOf, provenanceOf } from './acting-profiles.service.ts';
import type { ActingProfile } from './schedule.policy.ts';

const profile: ActingProfile = { id: 'p', key: 'growth', kind: 'department', department: 'growth' };
const service = { kind: 'service' } as const;
const execution = (kind: ExecutionPrincipal['execution']): ExecutionPrincipal => ({
  kind: 'execution',
  organizationId: 'o',
  agentProfileId: 'p',
  profileKey: 'growth',
  profileKind: 'department',
  department: 'growth',
  execution: kind,
  executionId: 'x',
  mode: null,
  generation: 1,
  expiresAt: '2026-03-01T09:30:00.000000Z',
  scope: null,
});

describe('provenanceOf', () => {
  it.each([
    [execution('task_run'), {}, { origin: 'agent', sourceRunId: 'x', sourceMessageId: null }],
    [execution('chat_turn'), {}, { origin: 'user', sourceRunId: null, sourceMessageId: 'x' }],
    [service, {}, { origin: 'agent', sourceRunId: null, sourceMessageId: null }],
    [service, { runId: 'r' }, { origin: 'agent', sourceRunId: 'r', sourceMessageId: null }],
    [service, { turnId: 't' }, { origin: 'user', sourceRunId: null, sourceMessageId: 't' }],
  ] as const)('of %j with %j', (agent, named, expected) => {
    expect(provenanceOf(agent, profile, named)).toEqual({
      ...expected,
      createdByAgentProfileId: 'p',
      sourceChatId: null,
    });
  });
});

describe('actorOf', () => {
  it('is the profile for which a runtime acts, else who calls', () => {
    expect(actorOf(service, profile)).toEqual({ kind: 'agent', id: 'p', name: 'growth' });
    expect(actorOf(service, null)).toBe(service);
    const run = execution('task_run');
    expect(actorOf(run, profile)).toBe(run);
  });
});
