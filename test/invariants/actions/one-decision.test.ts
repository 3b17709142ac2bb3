import { expect, it } from '@jest/globals';
import { answeringTurn, itemsOf, proposedAction, useProbe, verbsOf } from '../../support/factories/actions.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** An action is decided once, by whoever commits first, however many decide it at the same moment and by which way. */
const app = useTestApp();
const place = useWorkplace(app);
useProbe(app);

const ROUNDS = 5;
const CLIENTS = 30;

it(`lets one of ${CLIENTS} decisions that contradict each other count, and tells of one`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await proposedAction(place);
    const turn = await answeringTurn(app, place, ['Do as you think.']);
    const calls = Array.from({ length: CLIENTS }, (_, nth) => {
      const verdict = nth % 2 === 0 ? 'approve' : 'reject';
      const path = `/actions/${id}/${verdict}`;
      const comment = `From ${nth}.`;
      const sent =
        nth % 5 === 0
          ? turn.agent.post(place.agentPath(path), { comment })
          : place.owner.post(place.path(path), { comment });
      return sent.then(({ status, body }) => ({ verdict, status, body }));
    });
    const answers = await Promise.all(calls);
    const { body } = await place.owner.get(place.path(`/actions/${id}`));
    const { decision, status, revision } = body.data;
    expect([status, revision]).toEqual([decision.kind === 'approve' ? 'approved' : 'rejected', 2]);
    // Those who decided the same are told of the one decision; the others are refused.
    for (const answer of answers)
      expect([answer.status, answer.body.data?.decision]).toEqual(
        answer.verdict === decision.kind ? [200, decision] : [409, undefined],
      );
    expect(await verbsOf(app, id)).toEqual(['action.proposed', `action.${status}`]);
    expect(await itemsOf(app, id)).toEqual([{ kind: 'approval', status: 'resolved' }]);
  }
});
