import { describe, expect, it } from '@jest/globals';
import type { Identity } from '../../principals/index.ts';
import { namedBy } from './named-by.ts';

const ORGANIZATION = '0192f0c1-7a55-7bb3-9d0e-5a3f2c1b4e6d';
const RUN = '0192f0c1-7a55-7bb3-9d0e-5a3f2c1b4e6e';

describe('what a request line is about', () => {
  it('is what path and body name, ids in lower case', () => {
    const request = {
      params: { runId: RUN.toUpperCase() },
      body: { organizationId: ORGANIZATION, workerId: 'w', text: 'hidden' },
    };
    expect(namedBy(request, '/internal/runs/:runId/running')).toEqual({
      organizationId: ORGANIZATION,
      runId: RUN,
      workerId: 'w',
    });
  });

  it('is a run where owners name one by its id', () => {
    const params = { organizationId: ORGANIZATION, id: RUN };
    const route = '/organizations/:organizationId/runs/:id/cancel';
    expect(namedBy({ params, body: undefined }, route)).toEqual({ organizationId: ORGANIZATION, runId: RUN });
    expect(namedBy({ params, body: undefined }, '/organizations/:organizationId/chats/:id')).toEqual({
      organizationId: ORGANIZATION,
    });
  });

  it('is what the token of an execution names', () => {
    const identity = {
      kind: 'execution',
      execution: 'chat_turn',
      executionId: RUN,
      organizationId: ORGANIZATION,
    } as Identity;
    expect(namedBy({ params: {}, body: null, identity }, '/x')).toEqual({ organizationId: ORGANIZATION, turnId: RUN });
  });

  it.each([
    [null],
    ['text'],
    [[{ runId: RUN }]],
    [{ runId: 'my secret' }],
    [{ runId: { $: 1 } }],
    [{ turnId: `${RUN} ` }],
  ])('is nothing in %j', (body) => {
    expect(namedBy({ params: {}, body }, undefined)).toEqual({});
  });

  it('holds no more of a worker’s name than the API takes', () => {
    expect(namedBy({ params: {}, body: { workerId: 'w'.repeat(5_000) } }, undefined).workerId).toHaveLength(200);
  });
});
