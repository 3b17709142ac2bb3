import { describe, expect, it } from '@jest/globals';
import { ActionExecutionService } from '../../../src/modules/actions/execution/action-execution.service.ts';
import { capabilityOf, connectServer } from '../../support/connectors/connected-servers.ts';
import { KEY, TOOLS, useToolCalls } from '../../support/connectors/tool-calls.ts';

const calls = useToolCalls();
const { app, call, lastCalls, place } = calls;

describe('a write: 200', () => {
  it('that needs nobody’s approval is done once, and met again', async () => {
    const first = await call('note', { text: 'hello' });
    expect([first.status, first.body.data]).toMatchObject([
      200,
      { status: 'action', action: { status: 'succeeded', decision: { kind: 'policy' } }, truncated: false },
    ]);
    expect(first.body.data.output).toEqual(first.body.data.action.result);
    const again = await call('note', { text: 'hello' });
    expect(again.body.data.action.id).toBe(first.body.data.action.id);
    expect(calls.peer.effects).toEqual([{ name: 'note', arguments: { text: 'hello' } }]);
  });
});

describe('a write that was made before: 200', () => {
  it('meets its action, though its tool is in quarantine by now', async () => {
    const own = await connectServer(place, calls.peer, { apiKey: KEY, tools: ['note', 'list_orders'] });
    calls.use(await capabilityOf(place, calls.agent, own));
    const first = await call('note', { text: 'before' });
    expect(first.body.data.action.status).toBe('succeeded');
    calls.peer.define({ ...TOOLS[3]!, description: 'Something else.' });
    await place.owner.post(place.path(`/integrations/${own.key}/discover`));
    calls.peer.define(TOOLS[3]!);
    const again = await call('note', { text: 'before' });
    expect([again.status, again.body.data?.action.id]).toEqual([200, first.body.data.action.id]);
    const other = await call('note', { text: 'behind' });
    expect([other.status, other.body.error.issues[0].code]).toEqual([409, 'tool_quarantined']);
  });
});

describe('an answer with a number that is none', () => {
  it('is one all the same, and written down', async () => {
    calls.peer.answering = ({ method, body }, response) => {
      if (method !== 'tools/call') return false;
      const { id } = JSON.parse(body) as { id: number };
      const result = '{"resultType":"complete","content":[],"structuredContent":{"n":1e400,"m":-2E+0999}}';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      return true;
    };
    const structuredContent = { n: '1e400', m: '-2E+0999' };
    const read = await call('list_orders');
    expect([read.status, read.body.data]).toMatchObject([200, { status: 'succeeded', output: { structuredContent } }]);
    const write = await call('note', { text: 'endless' });
    expect([write.status, write.body.data]).toMatchObject([
      200,
      { action: { status: 'succeeded', result: { structuredContent } } },
    ]);
    const noted = (await lastCalls()).slice(0, 2).map(({ toolName, outcome }) => [toolName, outcome]);
    expect(noted).toEqual([
      ['note', 'succeeded'],
      ['list_orders', 'succeeded'],
    ]);
  });
});

const answerLists = (status: number, type = 'text/plain') => {
  calls.peer.answering = ({ method }, response) => {
    if (method !== 'tools/list') return false;
    response.writeHead(status, { 'content-type': type }).end('CANARY of the provider');
    return true;
  };
};

describe('a write whose preparation fails', () => {
  const health = async () => (await place.owner.get(place.path(`/integrations/${calls.server.key}`))).body.data.health;

  it.each([
    [401, 'credential_refused'],
    [403, 'scope_lost'],
    [302, 'bad_answer'],
    [200, 'bad_answer'],
  ])('by %i is over at once, without an effect, and written down', async (status, code) => {
    answerLists(status);
    const { body, text } = await call('note', { text: `refused by ${status}` });
    expect(body.data.action).toMatchObject({ status: 'not_executed', error: { code, providerStatus: status } });
    expect(text).not.toContain('CANARY');
    expect((await lastCalls())[0]).toMatchObject({ toolName: 'note', outcome: 'not_executed', code });
    expect(calls.peer.effects).toEqual([]);
  });

  it('shows in the health of the connector at once, until it goes well again', async () => {
    answerLists(401);
    await call('note', { text: 'refused again' });
    expect(JSON.stringify(await health())).toContain('credential_refused');
    calls.peer.answering = undefined;
    await call('note', { text: 'taken again' });
    expect(JSON.stringify(await health())).not.toContain('credential_refused');
  });
});

describe('a write: 202', () => {
  it('that a person must approve waits for them', async () => {
    const asking = await connectServer(place, calls.peer, { apiKey: KEY, accessMode: 'ask_before_write' });
    calls.use(await capabilityOf(place, calls.agent, asking));
    const { status, body } = await call('note', { text: 'wait' }, { title: 'Write a note', summary: 'As asked.' });
    expect([status, body.data]).toMatchObject([
      202,
      {
        status: 'action',
        output: null,
        action: { status: 'awaiting_approval', title: 'Write a note', policy: { reasons: ['access_mode'] } },
      },
    ]);
    expect(calls.peer.effects).toEqual([]);
    const approved = await place.owner.post(place.path(`/actions/${body.data.action.id}/approve`), {});
    expect(approved.status).toBe(200);
    const again = await call('note', { text: 'wait' });
    expect([again.status, again.body.data.action.status]).toEqual([200, 'succeeded']);
    expect(calls.peer.effects).toHaveLength(1);
  });
});

describe('a write whose preparation fails for now', () => {
  it.each([429, 503])('by %i is left to the lease, and prepared anew behind it', async (status) => {
    answerLists(status);
    const proposal = { connectorKey: calls.server.key, toolName: 'note', arguments: { text: `later by ${status}` } };
    const { body } = await calls.agent.post(place.agentPath('/actions'), {
      ...proposal,
      title: 'Note',
      summary: 'Later.',
    });
    const action = async () => (await place.owner.get(place.path(`/actions/${body.data.id}`))).body.data;
    const { organizationId } = place;
    await app.app.get(ActionExecutionService).carryOut({ organizationId, id: body.data.id as string });
    expect(calls.peer.methods).toContain('tools/list');
    expect(await action()).toMatchObject({ status: 'executing', error: null });
    expect(calls.peer.effects).toEqual([]);
  });

  it('is answered at once, with 202', async () => {
    answerLists(503);
    const { status, body } = await call('note', { text: 'rests' });
    expect([status, body.data.action.status]).toEqual([202, 'executing']);
  }, 15_000);
});
