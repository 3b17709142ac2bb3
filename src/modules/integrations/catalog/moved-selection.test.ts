import { expect, it } from '@jest/globals';
import { movedSelection } from './moved-selection.ts';

const TOOLS = {
  same: { definitionHash: 'a', quarantined: false },
  raised: { definitionHash: 'b', quarantined: false },
  out: { definitionHash: 'c', quarantined: true },
  removed: { definitionHash: 'd', quarantined: false },
};
const NOW = ['same', 'raised', 'out', 'new'].map((name) => ({ name, definitionHash: `${name}-2` }));

it('moves pins, quarantines what became riskier since, and selects nothing', () => {
  const selection = { explicit: true, tools: TOOLS };
  expect(movedSelection(selection, 3, { raisedTools: { raised: 4, same: 3 } }, NOW)).toEqual({
    selection: {
      explicit: true,
      tools: {
        same: { definitionHash: 'same-2', quarantined: false },
        raised: { definitionHash: 'raised-2', quarantined: true },
        out: { definitionHash: 'out-2', quarantined: true },
        removed: { definitionHash: 'd', quarantined: false },
      },
    },
    quarantined: ['raised'],
  });
});

it('leaves alone what was never chosen', () => {
  expect(movedSelection(null, 1, {}, NOW)).toEqual({ selection: null, quarantined: [] });
});
