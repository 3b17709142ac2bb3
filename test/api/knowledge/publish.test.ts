import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { streamingTurn } from '../../support/factories/turns.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import {
  evidenceOf,
  knowledgeRow,
  type Publisher,
  publish,
  published,
  publisher,
  recordBody,
} from '../../support/factories/knowledge.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const issueOf = ({ status, body }: Awaited<ReturnType<typeof publish>>) => [
  status,
  ...(body.error?.issues ?? []).map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
];
const key = () => `key-${randomUUID().slice(0, 13)}`;

/** A turn of the chat agent, with bytes of a run. */
async function turn(): Promise<Publisher> {
  const { executionToken, turnId } = await streamingTurn(app, place.organizationId);
  const { evidence } = await publisher(place, 'support');
  return { agent: app.client(executionToken), runId: turnId, taskId: '', evidence };
}

describe('POST …/knowledge: 201', () => {
  it('keeps what a run found, with all that it said', async () => {
    const by = await publisher(place);
    const body = recordBody(by, {
      title: '  Prices   of the competitors ',
      applicability: 'Small plans',
      procedure: ['Read both pages.', 'Compare.'],
      visibility: 'department',
      sourceVersions: [{ source: 'https://competitor.example/pricing', version: 'March' }],
      validUntil: '2999-01-01T00:00:00Z',
    });
    const { status, body: answer } = await by.agent.post(place.agentPath('/knowledge'), body);
    expect([status, answer.data]).toEqual([
      201,
      {
        id: expect.any(String),
        metadata: {
          key: body.key,
          title: 'Prices of the competitors',
          finding: body.finding,
          applicability: 'Small plans',
          visibility: 'department',
          requiredConnectorKeys: [],
          sourceVersions: body.sourceVersions,
          evidence: [by.evidence],
          validUntil: '2999-01-01T00:00:00.000000Z',
          sourceTaskId: by.taskId,
          sourceRunId: by.runId,
          authorProfileKey: 'growth',
          department: 'growth',
          retainedAt: expect.any(String),
        },
        origin: 'execution',
        freshness: 'current',
        supersededBy: null,
        procedure: body.procedure,
        supersedes: null,
        revocation: null,
      },
    ]);
    const { data } = (await place.owner.get(place.path(`/knowledge/${answer.data.id}`))).body;
    expect(data).toEqual(answer.data);
    const { data: log } = (await place.owner.get(place.path('/activity?verb=knowledge.published'))).body;
    expect(log[0]).toMatchObject({ subject: { kind: 'knowledge', id: answer.data.id } });
  });

  it('escapes what reorders a title, and keeps tabs and newlines of texts', async () => {
    const finding = `One:\n\ttwo ${randomUUID()}`;
    const { metadata } = await published(place, await publisher(place), { title: 'pay \u202E00.1$', finding });
    expect(metadata).toMatchObject({ title: String.raw`pay \u{202e}00.1$`, finding });
  });

  it('supersedes what held under the key, of whichever author may read it', async () => {
    const first = await published(place, await publisher(place), { key: key() });
    const { metadata } = first;
    const second = await published(place, await publisher(place, 'operator'), { key: metadata.key });
    expect(second).toMatchObject({ supersedes: first.id, metadata: { department: 'growth' } });
    const third = await published(place, await turn(), { key: metadata.key, expectedSupersedes: second.id });
    expect(third.metadata).toMatchObject({
      department: 'growth',
      sourceTaskId: null,
      sourceRunId: null,
      authorProfileKey: 'chat',
    });
    const { data } = (await place.owner.get(place.path(`/knowledge/${first.id}`))).body;
    expect(data).toMatchObject({ freshness: 'superseded', supersededBy: second.id });
  });

  it('takes evidence of runs that the author may read the artifacts of, with the path of their results', async () => {
    const by = await publisher(place);
    const other = await publisher(place);
    const result = {
      kind: 'completed',
      artifacts: [{ kind: 'note', name: 'N', path: 'a.md', sha256: other.evidence.sha256 }],
    };
    await app.db.query(`update run set status = 'succeeded', output = $2 where id = $1`, [
      other.runId,
      { kind: 'task_result', result },
    ]);
    const evidence = { ...other.evidence, path: 'a.md' };
    expect((await publish(place, by, { evidence: [by.evidence, evidence] })).status).toBe(201);
    expect(issueOf(await publish(place, by, { evidence: [by.evidence, { ...evidence, path: 'b.md' }] }))).toEqual([
      400,
      'evidence.1.path path_mismatch',
    ]);
  });
});

describe('POST …/knowledge: 200', () => {
  it('answers the same content with its record, also behind a newer one', async () => {
    const by = await publisher(place);
    const body = recordBody(by);
    const send = () => by.agent.post(place.agentPath('/knowledge'), body);
    const first = await send();
    const again = await send();
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    const other = await publisher(place, 'operator');
    const sameByOther = await other.agent.post(place.agentPath('/knowledge'), body);
    expect([sameByOther.status, sameByOther.body.data.id]).toEqual([200, first.body.data.id]);
    const newer = await published(place, other, { key: body.key });
    const late = await send();
    expect([late.status, late.body.data]).toMatchObject([200, { id: first.body.data.id, supersededBy: newer.id }]);
  });
});

describe('POST …/knowledge: 400', () => {
  it('for evidence that does not exist, that is of somebody else, and that the author may not read, alike', async () => {
    const by = await publisher(place, 'growth');
    const hidden = await publisher(place, 'support');
    const foreign = await publisher(await Workplace.open(app));
    const evidence = [
      { ...by.evidence, sha256: 'a'.repeat(64) },
      { ...by.evidence, runId: randomUUID() },
      hidden.evidence,
      foreign.evidence,
      { ...by.evidence, runId: hidden.runId },
    ];
    expect(issueOf(await publish(place, by, { evidence }))).toEqual([
      400,
      ...evidence.map((_, n) => `evidence.${n} unknown_reference`),
    ]);
    expect((await publish(place, await publisher(place, 'operator'), { evidence: [hidden.evidence] })).status).toBe(
      201,
    );
  });

  it.each<[string, object, string]>([
    ['no evidence', { evidence: [] }, 'evidence invalid_length'],
    ['a credential', { finding: 'The password=hunter2hunter2 works.' }, 'finding unsafe_text'],
    [
      'a credential in a step',
      { procedure: ['Use sk-live-abcdefghijklmnopqrstuvwx123456.'] },
      'procedure.0 unsafe_text',
    ],
    ['an end in the past', { validUntil: '2020-01-01T00:00:00Z' }, 'validUntil not_in_future'],
    ['a connector that is none', { requiredConnectorKeys: ['search'] }, 'requiredConnectorKeys.0 unknown_reference'],
    [
      'a source through none',
      { sourceVersions: [{ source: 's', version: '1', connectorKey: 'search' }] },
      'sourceVersions.0.connectorKey unknown_reference',
    ],
    ['a restricted record without connectors', { visibility: 'restricted' }, 'requiredConnectorKeys required'],
    ['a blank finding', { finding: ' \n' }, 'finding blank'],
    ['a key that is none', { key: 'Not a key' }, 'key invalid_slug'],
    ['a key of material', { key: `material-${randomUUID()}` }, 'key not_permitted'],
    ['controls in the title', { title: 'Red\u001B[31m' }, 'title invalid_text'],
    ['controls in the finding', { finding: 'Back\u0008space' }, 'finding invalid_text'],
    ['controls in the applicability', { applicability: '\u009B2J' }, 'applicability invalid_text'],
    ['controls in a step', { procedure: ['Read.', 'Ring \u0007'] }, 'procedure invalid_item'],
    [
      'controls in a source',
      { sourceVersions: [{ source: '\u001B', version: '1' }] },
      'sourceVersions.0.source invalid_text',
    ],
    [
      'controls in a version',
      { sourceVersions: [{ source: 's', version: '\u001B' }] },
      'sourceVersions.0.version invalid_text',
    ],
  ])('for %s', async (_what, body, issue) => {
    expect(issueOf(await publish(place, await publisher(place), body as Record<string, unknown>))).toEqual([
      400,
      issue,
    ]);
  });

  it('for controls in the path of evidence', async () => {
    const by = await publisher(place);
    const evidence = [{ ...by.evidence, path: 'a\u001B[2J.md' }];
    expect(issueOf(await publish(place, by, { evidence }))).toEqual([400, 'evidence.0.path invalid_text']);
  });

  it('for the visibility of a department where there is none', async () => {
    for (const by of [await publisher(place, 'operator'), await turn()])
      expect(issueOf(await publish(place, by, { visibility: 'department' }))).toEqual([
        400,
        'visibility not_permitted',
      ]);
  });
});

describe('POST …/knowledge: 401', () => {
  it('for owners, runtimes, and runs that verify', async () => {
    const by = await publisher(place, 'growth', { mode: 'verify' });
    const verifying = await place.agentOf(by.runId, 'growth', { mode: 'verify' });
    for (const agent of [verifying, place.owner, app.service, app.anonymous])
      expect((await publish(place, { ...by, agent })).status).toBe(401);
  });
});

describe('POST …/knowledge: 409', () => {
  it('when the run has ended', async () => {
    const by = await publisher(place);
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [by.runId]);
    expect((await publish(place, by)).body.error.code).toBe('state_conflict');
  });

  it('for a key of another department’s record, and of one that cannot be read, naming nothing', async () => {
    const shown = await published(place, await publisher(place, 'growth'), { title: 'Unseen' });
    const hidden = await published(place, await publisher(place, 'growth'), {
      visibility: 'department',
      title: 'Unseen',
    });
    const by = await publisher(place, 'support');
    for (const { metadata } of [shown, hidden]) {
      const answer = await publish(place, by, { key: metadata.key, expectedSupersedes: null });
      expect(issueOf(answer)).toEqual([409, 'key key_taken']);
      expect(answer.text).not.toContain('Unseen');
    }
  });

  it('for a key under which material holds, which stays', async () => {
    const id = await knowledgeRow(app, place.organizationId, { origin: 'material', key: key() });
    const { metadata } = (await place.owner.get(place.path(`/knowledge/${id}`))).body.data;
    for (const by of [await publisher(place), await publisher(place, 'operator')])
      expect(issueOf(await publish(place, by, { key: metadata.key }))).toEqual([409, 'key key_taken']);
    expect((await place.owner.get(place.path(`/knowledge/${id}`))).body.data.freshness).toBe('current');
  });

  it('for more readers than before', async () => {
    const { metadata } = await published(place, await publisher(place), { visibility: 'department' });
    const by = await publisher(place, 'operator');
    expect(issueOf(await publish(place, by, { key: metadata.key }))).toEqual([409, 'visibility audience_widened']);
    expect((await publish(place, by, { key: metadata.key, visibility: 'department' })).status).toBe(201);
  });

  it('for another record than the expected one', async () => {
    const { id, metadata } = await published(place, await publisher(place));
    const by = await publisher(place);
    for (const expectedSupersedes of [null, randomUUID()])
      expect(issueOf(await publish(place, by, { key: metadata.key, expectedSupersedes }))).toEqual([
        409,
        'expectedSupersedes superseded_meanwhile',
      ]);
    expect(issueOf(await publish(place, by, { expectedSupersedes: id }))).toEqual([
      409,
      'expectedSupersedes superseded_meanwhile',
    ]);
    expect((await publish(place, by, { expectedSupersedes: null })).status).toBe(201);
  });

  it('for a finding that was revoked, in whichever spelling, with the reason where the author could read it', async () => {
    const growth = await publisher(place, 'growth');
    const finding = `Les clients préfèrent l’été ${randomUUID()}`;
    const { id, metadata } = await published(place, growth, { finding, visibility: 'department' });
    await place.owner.delete(place.path(`/knowledge/${id}?reason=Asked+in+winter`));
    const again = { finding: finding.toUpperCase().normalize('NFD'), key: key() };
    const answer = await publish(place, growth, again);
    expect(issueOf(answer)).toEqual([409, 'finding revoked']);
    expect(answer.body.error.issues[0].message).toContain('Asked in winter');
    const unseen = finding.replace('clients', 'cli\u200Bents\uFE0F').replace('préfèrent', 'préfè\u00ADrent');
    expect(issueOf(await publish(place, growth, { finding: unseen, key: key() }))).toEqual([409, 'finding revoked']);
    const elsewhere = await publish(place, await publisher(place, 'support'), again);
    expect(issueOf(elsewhere)).toEqual([409, 'finding revoked']);
    expect(elsewhere.text).not.toContain('winter');
    expect((await publish(place, growth, { key: metadata.key })).status).toBe(201);
  });

  it('for the fifty-first of a run', async () => {
    const by = await publisher(place);
    const first = recordBody(by);
    const answers = [];
    for (let n = 0; n < 50; n += 1) answers.push((await publish(place, by, n === 0 ? first : {})).status);
    expect(new Set(answers)).toEqual(new Set([201]));
    expect(issueOf(await publish(place, by))).toEqual([409, 'key too_many_records']);
    expect((await publish(place, by, first)).status).toBe(200);
    expect((await publish(place, { ...by, ...(await publisher(place)) })).status).toBe(201);
  });

  it('takes bytes of evidence only from runs of the organization, by their rows', async () => {
    const by = await publisher(place);
    const more = await evidenceOf(app, place.organizationId, by.runId);
    expect((await publish(place, by, { evidence: [more] })).status).toBe(201);
  });
});
