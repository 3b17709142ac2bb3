import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../src/kernel/crypto/index.ts';
import { answeringTurn, proposedAction, propose, STANDING, useProbe } from '../../support/factories/actions.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
const probe = useProbe(app);

const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe('GET …/actions: 200', () => {
  it('lists the newest first, page by page, and filters', async () => {
    const there = await Workplace.open(app);
    const list = async (query: string) => ids(await there.owner.get(there.path(`/actions${query}`)));
    const { agent, taskId } = await there.run();
    const first = (await propose(agent, there)).body.data.id;
    const second = (await proposedAction(there, { risk: 'high' })).id;
    probe.standsAs = { ...STANDING, risk: 'low' };
    const third = (await proposedAction(there)).id;
    probe.standsAs = STANDING;
    const turn = await answeringTurn(app, there, ['Publish it.']);
    const fourth = (await propose(turn.agent, there)).body.data.id;
    await there.owner.post(there.path(`/actions/${second}/reject`), {});

    expect(await list('')).toEqual([fourth, third, second, first]);
    expect(await list('?order=asc')).toEqual([first, second, third, fourth]);
    expect(await list('?status=awaiting_approval')).toEqual([fourth, first]);
    expect(await list('?status=rejected&status=approved')).toEqual([third, second]);
    expect(await list('?decided=true')).toEqual([third, second]);
    expect(await list('?decided=false')).toEqual([fourth, first]);
    expect(await list('?risk=high')).toEqual([second]);
    expect(await list('?kind=git_push')).toEqual([]);
    expect(await list('?connectorKey=probe')).toHaveLength(4);
    expect(await list(`?taskId=${taskId}&status=awaiting_approval`)).toEqual([first]);
    expect(await list(`?chatId=${turn.chatId}`)).toEqual([fourth]);
    expect(await list(`?agentProfileId=${there.profile('chat')}`)).toEqual([fourth]);
    expect(await list('?createdBefore=2020-01-01T00:00:00Z')).toEqual([]);

    const page = await there.owner.get(there.path('/actions?limit=3'));
    expect(ids(page)).toEqual([fourth, third, second]);
    const cursor = encodeURIComponent(page.body.pagination.nextCursor);
    expect(await list(`?limit=3&cursor=${cursor}`)).toEqual([first]);
    const other = await there.owner.get(there.path(`/actions?limit=3&decided=true&cursor=${cursor}`));
    expect([other.status, other.body.error.issues[0].code]).toEqual([400, 'invalid_cursor']);
    const seen = await turn.agent.get(there.agentPath('/actions'));
    expect(ids(seen)).toEqual([fourth, third, second, first]);
    expect(seen.body.data[0]).not.toHaveProperty('arguments');
  });
});

describe('GET …/actions/{id}: 200', () => {
  it('shows the arguments to owners, and to a turn of the chat profile', async () => {
    const { id } = await proposedAction(place, { arguments: { to: 'everybody' } });
    const { agent } = await answeringTurn(app, place, ['What was it?']);
    for (const answer of [
      await place.owner.get(place.path(`/actions/${id}`)),
      await agent.get(place.agentPath(`/actions/${id}`)),
    ])
      expect([answer.status, answer.body.data]).toMatchObject([200, { id, arguments: { to: 'everybody' } }]);
  });
});

describe('GET …/actions and …/actions/{id}: 401', () => {
  it('refuses runs and runtimes', async () => {
    const { id } = await proposedAction(place);
    const { agent: run } = await place.run();
    const { agent: operator } = await place.run({}, 'operator');
    for (const path of ['/actions', `/actions/${id}`])
      for (const client of [run, operator, app.service, place.owner])
        expect((await client.get(place.agentPath(path))).status).toBe(401);
  });
});

describe('GET …/actions/{id}: 404', () => {
  it('does not know actions of others', async () => {
    const { id } = await proposedAction(place);
    const there = await Workplace.open(app);
    const { agent } = await answeringTurn(app, there, ['What was it?']);
    for (const each of [id, randomUUID()]) {
      expect((await there.owner.get(there.path(`/actions/${each}`))).body.error.code).toBe('not_found');
      expect((await there.owner.get(there.path(`/actions/${each}/payload`))).body.error.code).toBe('not_found');
      expect((await agent.get(there.agentPath(`/actions/${each}`))).body.error.code).toBe('not_found');
    }
    expect((await there.owner.get(place.path(`/actions/${id}`))).body.error.code).toBe('organization_not_found');
  });
});

describe('GET …/actions/{id}/payload', () => {
  const canonical = '{"a":[1,null],"b":"é"}';
  const payload = async (headers: Record<string, string> = {}) => {
    const { id } = await proposedAction(place, { arguments: { b: 'é', a: [1, null] } });
    return place.owner.get(place.path(`/actions/${id}/payload`), headers);
  };

  it('200: the arguments as they are sent, byte for byte', async () => {
    const { status, headers, text } = await payload();
    expect([status, text]).toEqual([200, canonical]);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(Buffer.byteLength(canonical)),
      etag: `"${sha256(Buffer.from(canonical)).toString('hex')}"`,
      'content-disposition': expect.stringMatching(/^attachment; filename="A-.{6}\.json"/),
    });
  });

  it('206: a range of it', async () => {
    const { status, headers, text } = await payload({ range: 'bytes=2-4' });
    expect([status, text, headers['content-range']]).toEqual([206, 'a":', `bytes 2-4/${Buffer.byteLength(canonical)}`]);
  });

  it('416: a range outside of it', async () => {
    expect((await payload({ range: 'bytes=99-' })).body.error.code).toBe('range_not_satisfiable');
  });
});
