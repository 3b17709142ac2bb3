import { describe, expect, it } from '@jest/globals';
import type { ActionRow, ActionRows } from '../actions/action-rows.ts';
import { checkGateway, type GatewayWorld } from './check-gateway.ts';
import { gatewayFailures, gatewayReportOf } from './gateway-report.ts';
import type { Effect } from './tool-server.ts';

const action = (id: string, status: string): ActionRow => ({
  id,
  status,
  wasSent: status !== 'expired',
  errorCode: null,
});
const effect = (marker: string, more: Partial<Effect> = {}): Effect => {
  return { marker, edition: 1, shown: 1, isAmbiguous: false, ...more };
};

/** One answered, one answered wrongly, one whose tool was defined anew before it was sent. */
const actions = [
  action('answered', 'succeeded'),
  action('unknown', 'reconciliation_required'),
  action('changed', 'expired'),
];
const activity = actions.flatMap(({ id, status }) =>
  ['approved', status].map((verb) => ({ verb: `action.${verb}`, actionId: id, count: 1 })),
);
const parked: ActionRows = { actions, questions: [{ actionId: 'unknown' }], tasks: [], activity };
const ended: ActionRows = {
  ...parked,
  actions: [action('answered', 'succeeded'), action('unknown', 'succeeded'), action('changed', 'expired')],
  questions: [],
};
const sound: GatewayWorld = {
  approved: [],
  effects: [effect('a'), effect('u', { isAmbiguous: true })],
  marked: [
    { id: 'answered', marker: 'a', edition: 1 },
    { id: 'unknown', marker: 'u', edition: 1 },
    { id: 'changed', marker: 'c', edition: 1 },
  ],
  parked,
  ended,
};
const withEffect = (...more: Effect[]): GatewayWorld => ({ ...sound, effects: [...sound.effects, ...more] });

describe('the checker of writes through the gateway', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(checkGateway(sound)).toEqual({ lost: [], doubled: [], stuck: [], wrong: [] });
  });

  it.each([
    ['a second effect', 'doubled', /the write a happened 2 times/, withEffect(effect('a'))],
    [
      'one by another definition',
      'doubled',
      /the write a happened 2/,
      withEffect(effect('a', { edition: 2, shown: 2 })),
    ],
    [
      'one behind another definition',
      'wrong',
      /edition 1, behind a list of edition 2/,
      withEffect(effect('c', { shown: 2 })),
    ],
    ['one that expired and happened', 'wrong', /changed arrived and is not noted/, withEffect(effect('c'))],
    ['one that nobody proposed', 'wrong', /none: x, edition 1/, withEffect(effect('x'))],
  ] as const)('finds %s', (_what, kind, text, world) => {
    expect(checkGateway(world)[kind]).toContainEqual(expect.stringMatching(text));
  });
});

it('the report counts, and says why a run proves nothing', () => {
  const findings = checkGateway(sound);
  const happened = { seconds: 1, kills: { all: 2, atWork: 1 }, world: sound, findings, changes: 1, reselected: 1 };
  const report = gatewayReportOf({ ...happened, written: { call: 2, mcp: 1 } });
  expect(report).toMatchObject({
    writes: 3,
    arrived: 2,
    unknown: 1,
    succeeded: 1,
    expired: 1,
    ambiguous: 1,
    mostRequests: 1,
  });
  expect(gatewayFailures(report, { writes: 3, kills: 2 })).toEqual([]);
  expect(gatewayFailures({ ...report, expired: 0, byMcp: 0 }, { writes: 4, kills: 3 })).toEqual([
    'only 3 of 4 actions',
    'only 2 of 3 kills',
    'no definition changed under a write',
    'one of the two ways was not used',
  ]);
});
