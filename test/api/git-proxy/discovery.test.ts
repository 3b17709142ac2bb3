import { beforeAll, describe, expect, it } from '@jest/globals';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import type { BackendAnswer } from '../../../examples/git-host/git-backend.ts';
import type { Mishap } from '../../support/peers/git-host-peer.ts';

const code = useCodeHost();
let agent: GitAgent;
const use = async () => {
  agent = await code.gitAgent();
};
beforeAll(use);

interface Asked {
  readonly repository?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function discover(service: string, { repository = 'Acme/Shop', query, headers }: Asked = {}) {
  return agent.caller.get(agent.pathTo(repository, `info/refs${query ?? `?service=${service}`}`), headers);
}

const UPLOAD = 'git-upload-pack';
const RECEIVE = 'git-receive-pack';

function answers(status: number, headers: Record<string, string> = {}, body = ''): () => Mishap {
  return () => ({ kind: 'answer', status, headers, body });
}

describe('200', () => {
  it('is what the host advertises to clients that fetch, byte for byte', async () => {
    for (const version of ['version=0', 'version=1', 'version=2']) {
      let said: BackendAnswer | undefined;
      code.host.mishap = () => ({ kind: 'change', by: (answer) => (said = answer) });
      const { status, text, headers } = await discover(UPLOAD, { headers: { 'git-protocol': version } });
      expect([status, text]).toEqual([200, said!.body.toString()]);
      expect(headers).toMatchObject({
        'content-type': 'application/x-git-upload-pack-advertisement',
        'cache-control': 'no-cache, max-age=0, must-revalidate',
        pragma: 'no-cache',
        expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
      });
      expect(code.host.requests.at(-1)!.headers['git-protocol']).toBe(version);
    }
  });

  it('takes off for clients that push what nobody could approve, and nothing else', async () => {
    await code.shop.git(['config', 'receive.advertisePushOptions', 'true']);
    let said = '';
    code.host.mishap = () => ({
      kind: 'change',
      by: (answer) => {
        said = answer.body.toString();
        return answer;
      },
    });
    const { text, headers } = await discover(RECEIVE, { headers: { 'git-protocol': 'version=1' } });
    expect(headers['content-type']).toBe('application/x-git-receive-pack-advertisement');
    expect(code.host.requests.at(-1)!.headers).not.toHaveProperty('git-protocol');
    const capabilities = (advertisement: string) => /\0(.*)\n/.exec(advertisement)![1]!.trim().split(' ');
    expect(capabilities(said)).toEqual(expect.arrayContaining(['delete-refs', 'push-options']));
    const kept = capabilities(said).filter((word) => !['delete-refs', 'push-options'].includes(word));
    expect(capabilities(text)).toEqual([...kept, 'no-thin']);
    expect(text.replaceAll(/....\w{40} refs\/heads\/main\0.*\n/g, '')).toBe(
      said.replaceAll(/....\w{40} refs\/heads\/main\0.*\n/g, ''),
    );
  });

  it('is asked for with named headers alone, by the token of the connector', async () => {
    await discover(UPLOAD, {
      headers: { cookie: 'a=b', 'x-forwarded-for': '10.0.0.1', 'git-protocol': 'version=3', accept: '*/*' },
    });
    const { headers, token, path, query } = code.host.requests.at(-1)!;
    expect([path, query, token]).toEqual(['/Acme/Shop.git/info/refs', 'service=git-upload-pack', code.api.token]);
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'host',
      'user-agent',
    ]);
    expect(headers).toMatchObject({
      accept: 'application/x-git-upload-pack-advertisement',
      'accept-encoding': 'identity',
      'user-agent': 'git/service-integration',
    });
  });

  it('has none of the headers of the host', async () => {
    code.host.mishap = () => ({
      kind: 'change',
      by: (answer) => ({
        ...answer,
        headers: {
          ...answer.headers,
          'content-type': `${answer.headers['content-type']}; charset=utf-8`,
          'set-cookie': 'session=1',
          'www-authenticate': 'Basic',
          location: 'https://elsewhere.example/',
          'x-github-request-id': '1',
        },
      }),
    });
    const { status, headers } = await discover(UPLOAD);
    expect([status, headers['content-type']]).toEqual([200, 'application/x-git-upload-pack-advertisement']);
    for (const name of ['set-cookie', 'www-authenticate', 'location', 'x-github-request-id'])
      expect(headers).not.toHaveProperty(name);
  });

  it('is of a repository however its name is written', async () => {
    for (const name of ['Acme/Shop', 'acme/shop', 'ACME/SHOP'])
      expect((await discover(UPLOAD, { repository: name })).status).toBe(200);
    const bare = agent.pathTo('Acme/Shop', 'info/refs?service=git-upload-pack').replace('.git/', '/');
    expect((await agent.caller.get(bare)).status).toBe(200);
  });

  it('is of the permitted ones alone, as the settings spell them', async () => {
    await code.save({ repositories: ['Acme/Shop'] });
    await use();
    try {
      expect((await discover(UPLOAD, { repository: 'acme/SHOP' })).status).toBe(200);
      expect(code.host.requests.at(-1)!.path).toBe('/Acme/Shop.git/info/refs');
      expect((await discover(UPLOAD, { repository: 'Acme/docs' })).status).toBe(404);
      expect(code.host.requests).toHaveLength(1);
    } finally {
      await code.save({});
      await use();
    }
  });
});

describe('400', () => {
  it.each([
    ['', 'service'],
    ['?service=git-archive', 'service'],
    ['?service=git-upload-pack&service=git-receive-pack', 'service'],
    ['?service=git-upload-pack&dumb=1', 'dumb'],
  ])('of the query %j', async (query, field) => {
    const { status, text, headers } = await discover(UPLOAD, { query });
    expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`^${field} [^\n]+\n$`))]);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each(['acme/...', 'acme/.git', 'acme/shop.', 'acme/shop.git.git', '-acme/shop', 'acme/a%2fb', 'acme/a b'])(
    'of the name %j',
    async (repository) => {
      const path = agent
        .pathTo(repository, 'info/refs?service=git-upload-pack')
        .replace(`${repository}.git`, repository);
      const { status, text } = await agent.caller.get(path);
      expect([status, text.split('\n').length]).toEqual([400, 2]);
      expect(code.host.requests).toEqual([]);
    },
  );
});

describe('401', () => {
  it('of a token that is none of this connector, or no bearer', async () => {
    const { caller, pathTo, agent: executing } = await code.gitAgent();
    const path = pathTo('Acme/Shop', 'info/refs?service=git-upload-pack');
    const elsewhere = path.replace(code.id, '0198c0de-0000-7000-8000-000000000000');
    const basic = { authorization: `Basic ${Buffer.from(`x-access-token:${caller.token}`).toString('base64')}` };
    for (const answer of [
      await caller.get(elsewhere),
      await executing.get(path),
      await code.place.owner.get(path),
      await code.app.anonymous.get(path),
      await code.app.anonymous.get(path, basic),
      await code.app.anonymous.get(`${path}&access_token=${caller.token}`),
    ]) {
      expect([answer.status, answer.headers['content-type']]).toEqual([401, 'text/plain; charset=utf-8']);
      expect(answer.text).not.toContain(caller.token);
    }
    expect(code.host.requests).toEqual([]);
  });

  it('of another department, and of runs that verify', async () => {
    const [other, verifies, plans] = [
      await code.gitAgent({}, 'growth'),
      await code.gitAgent({ run: { mode: 'verify' } }),
      await code.gitAgent({ run: { mode: 'plan' } }),
    ];
    const ask = ({ caller, pathTo }: typeof other, service: string) =>
      caller.get(pathTo('Acme/Shop', `info/refs?service=${service}`));
    const { status, text } = await ask(other, UPLOAD);
    expect([status, text]).toEqual([401, 'authorization is a token of an agent profile that may not do this\n']);
    expect((await ask(verifies, UPLOAD)).status).toBe(401);
    expect((await ask(plans, UPLOAD)).status).toBe(200);
    expect((await ask(plans, RECEIVE)).status).toBe(401);
  });
});

describe('404', () => {
  it('of a repository that the host does not know, or does not show', async () => {
    const { status, text } = await discover(UPLOAD, { repository: 'Acme/nothing' });
    expect([status, text]).toEqual([404, 'There is no such repository, or the connector does not reach it.\n']);
  });
});

describe('409', () => {
  it('of a credential that the host refuses, a repository that moved, and objects of another form', async () => {
    for (const [mishap, text] of [
      [answers(401, { 'www-authenticate': 'Basic' }, code.api.token), /refuses the credential/],
      [answers(403, {}, 'rate limit? no'), /refuses the credential/],
      [answers(301, { location: 'https://github.com/Acme/New.git/info/refs' }), /another name/],
      [answers(307, { location: 'https://elsewhere.example/' }), /another name/],
    ] as const) {
      code.host.mishap = mishap;
      const answer = await discover(UPLOAD);
      expect([answer.status, answer.text]).toEqual([409, expect.stringMatching(text)]);
      for (const name of ['www-authenticate', 'location']) expect(answer.headers).not.toHaveProperty(name);
    }
    code.host.mishap = () => ({
      kind: 'change',
      by: (answer) => ({
        ...answer,
        body: Buffer.from(answer.body.toString().replace('object-format=sha1', 'object-format=sh11')),
      }),
    });
    expect(await discover(RECEIVE)).toMatchObject({ status: 409, text: expect.stringMatching(/another form/) });
    expect((await discover(UPLOAD)).status).toBe(200);
  });

  it('of a connector that may not be used as things stand', async () => {
    expect((await discover(UPLOAD)).status).toBe(200);
    const grants = (readOnly: readonly string[]) =>
      code.place.owner.put(code.at('/profiles'), {
        profileGrants: ['engineering', 'growth'],
        readOnlyProfileKeys: readOnly,
      });
    await grants(['engineering']);
    expect(await discover(UPLOAD)).toMatchObject({ status: 409, text: expect.stringMatching(/^[^\n]+\n$/) });
    const reader = await code.gitAgent();
    const push = await reader.caller.get(reader.pathTo('Acme/Shop', `info/refs?service=${RECEIVE}`));
    expect([push.status, push.text]).toEqual([409, expect.stringMatching(/read/)]);
    await grants([]);
    const ended = await code.gitAgent();
    await code.app.db.query(`update run set status = 'cancelled', finished_at = now() where id = $1`, [ended.runId]);
    const over = await ended.caller.get(ended.pathTo('Acme/Shop', `info/refs?service=${UPLOAD}`));
    expect([over.status, over.text]).toEqual([409, 'The execution has ended; stop working on it.\n']);
    await use();
  });
});

describe('503', () => {
  it.each<[string, () => Mishap]>([
    ['HTML', answers(200, { 'content-type': 'text/html' }, '<html>hello</html>')],
    ['another type', answers(200, { 'content-type': 'application/x-git-upload-pack-result' }, '0000')],
    ['no type', answers(200, {}, '0000')],
    ['an error of its own', answers(500, {}, 'oops')],
    ['an answer that is packed', answers(200, { 'content-encoding': 'gzip' }, '0000')],
    ['too long an answer', answers(200, { 'content-length': String(33 * 1_024 * 1_024) }, '')],
    ['no answer', () => ({ kind: 'drop', when: 'before' })],
  ])('of a host that answers %s', async (_, mishap) => {
    code.host.mishap = mishap;
    const { status, text, headers } = await discover(UPLOAD);
    expect([status, text]).toEqual([503, expect.stringMatching(/^The code host does not answer [^\n]+\n$/)]);
    expect(headers['retry-after']).toBe('10');
    expect(text).not.toMatch(/hello|oops/);
  });

  it('says how long the host wants to be left alone', async () => {
    code.host.mishap = answers(429, { 'retry-after': '77' });
    expect((await discover(UPLOAD)).headers['retry-after']).toBe('77');
    code.host.mishap = answers(503, { 'retry-after': '999999' });
    expect((await discover(UPLOAD)).headers['retry-after']).toBe('3600');
    code.host.mishap = answers(503, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' });
    expect((await discover(UPLOAD)).headers['retry-after']).toBe('10');
  });

  it('of an answer that says the token back, of which nothing comes', async () => {
    const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };
    code.host.mishap = answers(200, type, `0033# agent=${code.api.token}\n0000`);
    const { status, text } = await discover(UPLOAD);
    expect([status, text]).toEqual([503, expect.stringMatching(/^The code host does not/)]);
  });
});
