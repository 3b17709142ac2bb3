import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, it } from '@jest/globals';
import { Random } from '../../../faults/random.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { useCodeHost } from '../../support/connectors/code-host.ts';
import { type CapturedPushes, capturedPushes } from '../../support/git/captured-pushes.ts';
import { inPieces, mutated } from '../../support/git/push-mutations.ts';
import { WorkCopy } from '../../support/git/work-copy.ts';

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The environment asks for more. */
const PUSHES = Number(process.env.GIT_FUZZ_PUSHES ?? 80);
/** Of many pushes it is enough to look at so many that were kept. */
const MOST_LOOKED_AT = 300;
const NOTHING = '0'.repeat(40);
const random = new Random(SEED);

const code = useCodeHost();
let captured: CapturedPushes;
beforeAll(async () => {
  captured = await capturedPushes(code.outside);
});

interface Kept {
  readonly action_id: string;
  readonly ref: string;
  readonly old_oid: string;
  readonly new_oid: string;
  readonly pack_sha256: string;
}

/** Whether Git takes what was kept, where the branch stands as the push says, and whether it goes forwards there. */
async function expectSound({ action_id, ref, old_oid, new_oid, pack_sha256 }: Kept): Promise<void> {
  const { stream } = (await code.app.app
    .get(ObjectStore)
    .open(`organizations/${code.place.organizationId}/git-pushes/${action_id}`))!;
  const pack = await buffer(stream);
  expect(createHash('sha256').update(pack).digest('hex')).toBe(pack_sha256);
  const copy = await WorkCopy.clone(captured.before.folder);
  try {
    expect(ref).toMatch(/^refs\/heads\//);
    await copy.git(['check-ref-format', ref]);
    // A branch that begins at a commit of the host brings nothing.
    if (pack.length === 0 || pack.readUInt32BE(8) === 0) return expect(old_oid).toBe(NOTHING);
    await copy.git(['index-pack', '--stdin', '--fsck-objects', '--fix-thin'], pack);
    if (old_oid !== NOTHING) await copy.git(['merge-base', '--is-ancestor', old_oid, new_oid]);
    expect((await copy.git(['cat-file', '-t', new_oid])).toString().trim()).toBe('commit');
  } finally {
    await copy.remove();
  }
}

it(`answers ${PUSHES} broken pushes in order, and keeps none that Git would refuse`, async () => {
  const inHours = new Date(Date.now() + 4 * 3_600_000).toISOString();
  const run = { lease_expires_at: inHours, capability_expires_at: inHours };
  const agent = await code.gitAgent({ run, task: { max_actions: 10_000 } });
  const statuses: Record<string, number> = {};
  let body: Buffer = Buffer.alloc(0);
  try {
    for (let left = PUSHES; left > 0; left -= 1) {
      body = left % 20 === 0 ? random.pick(captured.bodies) : mutated(random, captured.bodies, 0.2);
      const pieces = Readable.from(inPieces(random, body).filter(({ length }) => length > 0));
      const answer = await agent.caller.send('POST', agent.pathTo('Acme/Shop', 'git-receive-pack'), pieces, {
        'content-type': 'application/x-git-receive-pack-request',
      });
      const said = answer.status === 200 ? (/\b(?:ok|ng) refs|unpack (?!ok)/.exec(answer.text)?.[0] ?? '') : '';
      const kind = `${answer.status} ${/approval required/.test(answer.text) ? 'kept' : said}`.trim();
      statuses[kind] = (statuses[kind] ?? 0) + 1;
      expect([200, 400, 409, 413]).toContain(answer.status);
    }
    expect(code.host.asked).not.toContain('POST git-receive-pack');
    const { rows } = await code.app.db.query<Kept>(
      'select * from git_push where organization_id = $1 order by action_id limit $2',
      [code.place.organizationId, MOST_LOOKED_AT],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) await expectSound(row);
    if (process.env.GIT_FUZZ_PUSHES)
      process.stderr.write(`${JSON.stringify(statuses)}, looked at ${rows.length} that were kept\n`);
  } catch (error) {
    process.stderr.write(`seed ${SEED}, ${body.toString('base64').slice(0, 2_000)}\n`);
    throw error;
  }
}, 3_000_000);
