import { expect, it } from '@jest/globals';
import { QUESTION } from '../../support/factories/inbox.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const LIMIT = 1_000;
const ROOM = 5;

it('of agents at most 1,000 items are open in an organization, however many are opened at once', async () => {
  const open = async () => {
    const { rows } = await app.db.query<{ open: number }>(
      `select count(*)::int as open from inbox_item
       where organization_id = $1 and status = 'open' and opened_by = 'agent'`,
      [place.organizationId],
    );
    return rows[0]!.open;
  };
  await app.db.query(
    `insert into inbox_item (organization_id, id, kind, severity, title, body, presentation, opened_by)
     select $1, gen_random_uuid(), 'notification', 'info', 'Told', 'Told', '{}', opener
     from generate_series(1, $2::int) n, unnest(array['agent', 'system']) opener`,
    [place.organizationId, LIMIT - ROOM],
  );
  const runs = await Promise.all(Array.from({ length: 20 }, () => place.run()));
  const answers = await Promise.all(runs.map(({ agent }) => agent.post(place.agentPath('/inbox'), QUESTION)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(ROOM);
  expect(answers.filter(({ body }) => body.error?.code === 'state_conflict')).toHaveLength(runs.length - ROOM);
  expect(await open()).toBe(LIMIT);
});
