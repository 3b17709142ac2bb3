import { describe, expect, it } from '@jest/globals';
import { stagedOutcome } from './staged-outcome.ts';
import type { StageOutcomeDto } from './staged-outcome.dto.ts';

const verification = { kind: 'verification', summary: 'Good.', verdict: 'accepted', findings: [] } as const;
const of = (body: object) => () => stagedOutcome(body as StageOutcomeDto);

describe('a staged outcome', () => {
  it('has its own fields and no others', () => {
    expect(of({ ...verification, inboxItemId: undefined })()).toEqual(verification);
  });

  it('misses none, and has none of another kind', () => {
    expect(of({ kind: 'verification', summary: 'Good.', verdict: 'accepted', inboxItemId: 'x' })).toThrow(
      expect.objectContaining({
        issues: [
          expect.objectContaining({ path: 'inboxItemId', code: 'not_of_kind' }),
          expect.objectContaining({ path: 'findings', code: 'required' }),
        ],
      }),
    );
  });
});
