import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimedTurn, FAILURE, onTurn, streamingTurn, turnRow } from '../../support/factories/turns.ts';
import { onRun, queueTask, rowsOf, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/**
 * A worker's last word is not lost over how it is spelled: final calls are refused for their fence and their meaning. What is
 * too long is cut with a mark, what cannot be stored is replaced, and bytes are named only where the run stored them.
 */
const { app, organization } = useOrganization({ per: 'test' });

const long = (length: number) => 'm'.repeat(length);
/** Cut to so many characters. */
const cut = (length: number) => `${long(length - 1)}…`;

async function outcomeOf(run: StartedRun) {
  const { task, request, runs } = await rowsOf(app, run);
  return { task, request, run: runs[0], count: runs.length };
}

describe('a failed run', () => {
  it('is failed with a message that is too long, and not tried again', async () => {
    const run = await startedRun(app, organization.id);
    const error = { code: 'tool_failed', message: long(4_001), retryable: false };
    const answer = await onRun(app, run, 'fail', { error });
    expect([answer.status, answer.body.data.status, answer.body.data.taskStatus]).toEqual([200, 'failed', 'failed']);
    const { run: row, task, count } = await outcomeOf(run);
    expect([count, row.error.message, row.error.retryable]).toEqual([1, cut(4_000), false]);
    expect(task.result.code).toBe('run_failed');
    expect((await onRun(app, run, 'fail', { error })).body.data).toEqual(answer.body.data);
  });

  it.each<[string, object, object]>([
    ['a code that is no word', { code: 'Exit Code: 1\n' }, { code: 'Exit Code: 1\n' }],
    ['a code that is too long', { code: long(101) }, { code: cut(100) }],
    ['an empty code', { code: '' }, { code: '…' }],
    ['an empty message', { message: '' }, { message: '…' }],
    ['a NUL', { message: 'a\0b' }, { message: 'a\uFFFDb' }],
    ['a lone surrogate', { message: 'a\uD83D' }, { message: 'a\uFFFD' }],
    ['characters of two units at the limit', { message: '😀'.repeat(4_001) }, { message: `${'😀'.repeat(3_999)}…` }],
  ])('is failed with %s', async (_what, said, kept) => {
    const run = await startedRun(app, organization.id);
    const error = { code: 'broken', message: 'It broke.', retryable: false, ...said };
    expect((await onRun(app, run, 'fail', { error, harness: long(201) })).status).toBe(200);
    expect((await outcomeOf(run)).run).toMatchObject({ status: 'failed', error: kept, harness: cut(200) });
  });

  it('is failed with a body that was cut within a character', async () => {
    const run = await startedRun(app, organization.id);
    const { leaseToken } = run;
    const error = { code: 'broken', message: 'caf!', retryable: false };
    const body = Buffer.from(JSON.stringify({ organizationId: organization.id, leaseToken, error }));
    body[body.indexOf('!')] = 0xc3;
    expect((await app.service.post(`/internal/runs/${run.runId}/fail`, body)).status).toBe(200);
    expect((await outcomeOf(run)).run.error.message).toBe('caf\uFFFD');
  });

  it('is another report where only what was cut off differs', async () => {
    const run = await startedRun(app, organization.id);
    const error = { code: 'broken', message: long(5_000), retryable: false };
    await onRun(app, run, 'fail', { error });
    const other = await onRun(app, run, 'fail', { error: { ...error, message: `${error.message}!` } });
    expect([other.status, other.body.error.code]).toEqual([409, 'state_conflict']);
    const spelledOut = await onRun(app, run, 'fail', { error: { ...error, class: 'agent' } });
    expect(spelledOut.status).toBe(200);
  });
});

/** A run whose completion shares a transaction with others, and one whose task somebody waits for. */
const PATHS: readonly [string, () => Promise<StartedRun>][] = [
  ['that moves nothing but itself', () => startedRun(app, organization.id)],
  [
    'that others wait for',
    async () => {
      const run = await startedRun(app, organization.id);
      const waiting = await queueTask(app, organization.id);
      await app.db.query(
        `insert into task_dependency (organization_id, task_id, depends_on_task_id, condition) values ($1, $2, $3, '{"kind":"completion"}')`,
        [organization.id, waiting.taskId, run.taskId],
      );
      return run;
    },
  ],
];

describe.each(PATHS)('a completed run %s', (_path, startIt) => {
  const artifact = { kind: 'report', name: 'Report', path: 'out/report.md' };
  const completed = (result: object, more: object = {}) => ({
    output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', ...result } },
    ...more,
  });

  async function store(run: StartedRun, bytes: string): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = `/internal/agent/organizations/${organization.id}/artifacts/${sha256}`;
    const headers = { 'content-type': 'application/octet-stream' };
    const { status, text } = await app.client(run.executionToken).send('PUT', path, Buffer.from(bytes), headers);
    if (status !== 201) throw new Error(text);
    return sha256;
  }

  it('keeps what it says, cut and mended', async () => {
    const run = await startIt();
    const digest = 'AB'.repeat(32);
    const names = { name: long(201), uri: long(2_001), mediaType: long(201), summary: long(4_001) };
    const receipt = { kind: 'command', id: long(201), commandHash: digest, status: long(51), exitCode: -1_073_741_819 };
    const { status } = await onRun(
      app,
      run,
      'complete',
      completed(
        { summary: `${long(4_000)}\0`, artifacts: [{ ...artifact, ...names }] },
        { harness: long(201), workspaceUri: long(2_001), receipts: [receipt, { ...receipt, exitCode: 3_221_225_477 }] },
      ),
    );
    expect(status).toBe(200);
    const { run: row, task } = await outcomeOf(run);
    const kept = { name: cut(200), uri: cut(2_000), mediaType: cut(200), summary: cut(4_000) };
    const result = { kind: 'completed', summary: cut(4_000), artifacts: [{ ...artifact, ...kept }] };
    expect(row).toMatchObject({
      status: 'succeeded',
      harness: cut(200),
      workspace_uri: cut(2_000),
      output: { result },
    });
    expect(task.result).toEqual(result);
    expect(row.receipts).toEqual([
      { ...receipt, id: cut(200), status: cut(50), commandHash: 'ab'.repeat(32) },
      expect.objectContaining({ exitCode: 3_221_225_477 }),
    ]);
  });

  it('names bytes that it stored, with their size, whatever it says of that', async () => {
    const run = await startIt();
    const [one, other] = [await store(run, 'Some bytes'), await store(run, 'Others')];
    const artifacts = [
      { ...artifact, sha256: one.toUpperCase(), sizeBytes: 1 },
      { ...artifact, path: 'b', sha256: other },
      { ...artifact, path: 'c', uri: 'https://elsewhere.example', sizeBytes: 7 },
    ];
    expect((await onRun(app, run, 'complete', completed({ artifacts }))).status).toBe(200);
    const kept = [
      { ...artifact, sha256: one, sizeBytes: 10 },
      { ...artifact, path: 'b', sha256: other, sizeBytes: 6 },
      artifacts[2],
    ];
    const { run: row, task } = await outcomeOf(run);
    expect(task.result.artifacts).toEqual(kept);
    expect(row.output.result.artifacts).toEqual(kept);
  });

  it('does not name bytes of another run, and lives on where it does', async () => {
    const stranger = await startedRun(app, organization.id);
    const theirs = await store(stranger, 'Theirs');
    const run = await startIt();
    const own = await store(run, 'Own');
    const artifacts = [
      { ...artifact, sha256: own },
      { ...artifact, path: 'b', sha256: theirs },
    ];
    const { status, body } = await onRun(app, run, 'complete', completed({ artifacts }));
    expect([status, body.error.code, body.error.issues]).toEqual([
      400,
      'validation_failed',
      [expect.objectContaining({ path: 'output.result.artifacts.1.sha256', code: 'unknown_reference' })],
    ]);
    expect((await outcomeOf(run)).run.status).toBe('starting');
    expect((await onRun(app, run, 'complete', completed({ artifacts: [artifacts[0]] }))).status).toBe(200);
  });
});

describe('a turn', () => {
  let turn: ClaimedTurn;
  beforeEach(async () => {
    turn = await streamingTurn(app, organization.id);
  });

  it('fails with whatever its worker says of that', async () => {
    const error = { code: 'Model Overloaded', message: `${long(4_001)}\uD83D`, retryable: false };
    const { status, body } = await onTurn(app, turn, 'fail', { error });
    expect([status, body.data.status]).toEqual([200, 'failed']);
    const kept = { code: 'Model Overloaded', message: cut(4_000), retryable: false };
    expect((await turnRow(app, turn)).error).toEqual(kept);
  });

  it('waits again where an empty failure may be retried', async () => {
    const error = { ...FAILURE, message: '', retryable: true };
    expect((await onTurn(app, turn, 'fail', { error })).body.data.status).toBe('pending');
  });

  it('completes with a title, a summary, a session and parts of any look', async () => {
    const title = `  Launch\n${'\u0301'.repeat(2_000)}${long(300)}`;
    const parts = [{ id: 'p1', kind: 'text', text: 'An\0swer' }];
    const said = { title, summary: long(4_001), harnessSessionId: long(1_001), parts };
    expect((await onTurn(app, turn, 'complete', said)).status).toBe(200);
    const { rows } = await app.db.query(`select * from chat where id = $1`, [turn.chatId]);
    expect([...rows[0].title].length).toBeLessThanOrEqual(200);
    expect(rows[0].title).toMatch(/^Launch .*…$/su);
    expect(rows[0]).toMatchObject({ summary: cut(4_000), harness_session_id: null });
    expect((await turnRow(app, turn)).parts).toEqual([{ id: 'p1', kind: 'text', text: 'An\uFFFDswer' }]);
  });

  it('keeps the chat’s title where its own is blank', async () => {
    await app.db.query(`update chat set title = 'Mine' where id = $1`, [turn.chatId]);
    expect((await onTurn(app, turn, 'complete', { title: ' \n', summary: '' })).status).toBe(200);
    const { rows } = await app.db.query(`select title from chat where id = $1`, [turn.chatId]);
    expect(rows[0].title).toBe('Mine');
  });
});

describe('a lease token', () => {
  it.each([
    ['empty', ''],
    ['longer than any', long(10_000)],
    ['of odd characters', '\u202E 😀'],
  ])('that is %s is no token that was given out: 409', async (_what, leaseToken) => {
    const run = await startedRun(app, organization.id);
    const turn = await streamingTurn(app, organization.id);
    const error = { code: 'x', message: 'x', retryable: true };
    for (const answer of [
      await onRun(app, { ...run, leaseToken }, 'heartbeat'),
      await onRun(app, { ...run, leaseToken }, 'fail', { error }),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([409, 'run_lease_expired']);
    for (const call of ['heartbeat', 'complete'])
      expect((await onTurn(app, { ...turn, leaseToken }, call)).status).toBe(409);
    expect((await onRun(app, run, 'heartbeat')).status).toBe(200);
  });

  it.each([undefined, null, 5, ['x']])('that is %j is no text: 400', async (leaseToken) => {
    const run = await startedRun(app, organization.id);
    const { status, body } = await onRun(app, { ...run, leaseToken: leaseToken as never }, 'heartbeat');
    expect([status, body.error.issues[0].path]).toEqual([400, 'leaseToken']);
  });
});
