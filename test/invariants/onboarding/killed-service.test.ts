import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { COMPANY_DOCUMENTS, type CompanyDocument } from '../../support/documents/company-documents.ts';
import { materialOf, onboardingPath, shell, sourcePath } from '../../support/factories/onboardings.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { until } from '../../support/until.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

/** How often the service is killed; a big run kills it 50 times. */
const KILLS = Number(process.env.ONBOARDING_KILLS ?? 3);

const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
afterAll(() => ServiceProcess.killAll());

/** What an owner does, each of which may be when the service dies. */
const STEPS = ['begin', 'store', 'replace', 'delete', 'start', 'review', 'complete', 'discard'] as const;
type Step = (typeof STEPS)[number];
/** Where few kills meet what takes several commits, and the ends. */
const FIRST = { complete: ['review', 'complete'], discard: ['discard'] } as const satisfies Record<
  string,
  readonly Step[]
>;

type Document = Pick<CompanyDocument, 'fileName' | 'mediaType' | 'bytes'>;

const LONG: Document = {
  fileName: 'long.md',
  mediaType: 'text/markdown',
  bytes: Buffer.from('Many words of a handbook.\n\n'.repeat(20_000)),
};
const READABLE = COMPANY_DOCUMENTS.filter(({ warning }) => warning === undefined).slice(0, 1);
const DOCUMENTS: readonly Document[] = [LONG, ...READABLE];

/** A big run takes long, and other work may keep the machine so busy meanwhile that a start takes more than its minute. */
async function started(triesLeft = KILLS > 10 ? 5 : 1): Promise<ServiceProcess> {
  return ServiceProcess.start({ env: onDatabase(app.databaseUrl) }).catch((error: Error) => {
    if (triesLeft === 1 || !error.message.startsWith('The service did not start')) throw error;
    return started(triesLeft - 1);
  });
}

/** A service that is killed when it is told to, and the owner who calls again until there is an answer. */
class Endured {
  kills = 0;
  readonly met = new Map<Step, number>();
  /** How long each step takes where nobody dies. */
  private readonly tookMs = new Map<Step, number>();
  private service: ServiceProcess | undefined;

  /** Does a step; kills the service over it where it is the one's turn. */
  async step<T>(step: Step, isDeadly: boolean, work: (call: Call) => Promise<T>): Promise<T> {
    this.service ??= await started();
    if (isDeadly) {
      const doing = work(this.calling()).catch(() => undefined);
      // Anywhere in it, and sometimes just behind.
      await wait(Math.random() * 1.1 * this.tookMs.get(step)!);
      await this.service.kill();
      await doing;
      this.kills += 1;
      this.met.set(step, (this.met.get(step) ?? 0) + 1);
      // What the dead process held would lapse in a minute.
      await app.db.query('update onboarding set lease_expires_at = now() where lease_expires_at > now()');
      this.service = await started();
    }
    const startedMs = performance.now();
    const result = await work(this.calling());
    if (!isDeadly) this.tookMs.set(step, performance.now() - startedMs);
    return result;
  }

  private calling(): Call {
    const { baseUrl } = this.service!;
    return async (method, path, body, headers = {}) => {
      const isBytes = Buffer.isBuffer(body);
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${owner.token}`,
          ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
      return { status: response.status, body: (await response.json()) as any };
    };
  }
}

interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}
type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>;

const endured = new Endured();

/** One onboarding, with a kill at some of its steps; answers the organization's id. */
async function live(deadly: ReadonlySet<Step>, end: 'complete' | 'discard'): Promise<string> {
  const step = <T>(name: Step, work: (call: Call) => Promise<T>) => endured.step(name, deadly.has(name), work);
  const expected = ({ status, body }: Reply, ...statuses: readonly number[]) => {
    if (!statuses.includes(status)) throw new Error(`Unexpected ${status}: ${JSON.stringify(body)}`);
    return body.data;
  };
  const [details, key] = [shell(), { 'idempotency-key': randomUUID() }];
  const { organizationId } = await step('begin', async (call) =>
    expected(await call('POST', '/organization-onboardings', details, key), 201),
  );
  const at = onboardingPath(organizationId);
  const put = (call: Call, sourceId: string, { fileName, mediaType, bytes }: Document) => {
    const query = new URLSearchParams({ kind: 'file', fileName, mediaType }).toString();
    return call('PUT', `${sourcePath(organizationId, sourceId)}?${query}`, bytes);
  };
  const ids = DOCUMENTS.map(() => randomUUID());
  const extra = randomUUID();
  await step('store', async (call) => {
    for (const [index, document] of DOCUMENTS.entries()) expected(await put(call, ids[index]!, document), 201);
  });
  await step('replace', async (call) => {
    expected(await put(call, ids[1]!, LONG), 201);
    return expected(await put(call, ids[1]!, DOCUMENTS[1]!), 201);
  });
  await step('delete', async (call) => {
    expected(await put(call, extra, LONG), 201);
    expected(await call('DELETE', sourcePath(organizationId, extra)), 200, 404);
  });
  const state = async (call: Call) => expected(await call('GET', at), 200);
  const review = async (call: Call) => {
    const read = await state(call);
    if (read.state === 'draft' || read.state === 'failed') expected(await call('POST', `${at}/start`), 200);
    let after = await state(call);
    for (; after.state === 'reviewing'; after = await state(call)) await wait(100);
    if (after.state !== 'review_ready') throw new Error(`Not reviewed: ${JSON.stringify(after)}`);
    return after.review;
  };
  await step('start', async (call) => expected(await call('POST', `${at}/start`), 200));
  let reviewed = await step('review', review);
  // Twice the service died over one source: that asks for another try.
  if (reviewed.warnings.some(({ code }: { code: string }) => code === 'too_complex'))
    reviewed = await endured.step('review', false, async (call) => {
      expected(await call('POST', `${at}/start`), 200);
      return review(call);
    });
  if (end === 'discard') {
    await step('discard', async (call) => expected(await call('DELETE', at), 200, 404));
    return organizationId;
  }
  const body = { reviewSha256: reviewed.sha256, allowWarnings: true };
  await step('complete', async (call) => expected(await call('POST', `${at}/complete`, body), 200));
  return organizationId;
}

/** The passages of each record of an organization, by title. */
async function passagesOf(organizationId: string): Promise<Record<string, string>> {
  const { rows } = await app.db.query<{ title: string; digest: string }>(
    `select k.title, count(*) || ' ' || md5(string_agg(p.text, ' ' order by p.ordinal)) as digest
     from knowledge k join knowledge_passage p on p.organization_id = k.organization_id and p.knowledge_id = k.id
     where k.organization_id = $1 group by k.id, k.title order by k.title`,
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ title, digest }) => [title, digest]));
}

/** Rows of a table in an organization. */
async function count(table: string, organizationId: string): Promise<number> {
  const { rows } = await app.db.query(`select count(*)::int as n from ${table} where organization_id = $1`, [
    organizationId,
  ]);
  return rows[0].n as number;
}

describe('a service that is killed over an onboarding', () => {
  it(
    'leaves each step whole or undone, and goes on from there',
    async () => {
      const reference = await live(new Set(), 'complete');
      await live(new Set(), 'discard');
      const wanted = await passagesOf(reference);
      expect(Object.keys(wanted)).toHaveLength(DOCUMENTS.length);
      for (let round = 0; endured.kills < KILLS; round += 1)
        for (const end of ['complete', 'discard'] as const) {
          const steps = round === 0 ? FIRST[end] : STEPS.filter((step) => step === end || Math.random() < 0.4);
          const own = steps.filter((step) => step === end || (step !== 'complete' && step !== 'discard'));
          const organizationId = await live(new Set(own), end);
          if (end === 'complete') await expectWhole(organizationId, wanted);
          else await expectGone(organizationId);
        }
      console.info(`${endured.kills} kills: ${[...endured.met].map(([step, times]) => `${step} ${times}`).join(', ')}`);
      expect(endured.kills).toBeGreaterThanOrEqual(KILLS);
    },
    (KILLS + 2) * 60_000,
  );
});

async function expectWhole(organizationId: string, wanted: Record<string, string>): Promise<void> {
  expect(await passagesOf(organizationId)).toEqual(wanted);
  const tables = {
    agent_profile: 4,
    chat: 2,
    discovery_intention: 5,
    knowledge: DOCUMENTS.length,
    onboarding_source: DOCUMENTS.length,
  };
  for (const [table, rows] of Object.entries(tables))
    expect([table, await count(table, organizationId)]).toEqual([table, rows]);
  const orphans = await app.db.query(
    `select from knowledge_passage p where p.organization_id = $1 and not exists (
       select from onboarding_source s where s.organization_id = $1 and s.knowledge_id = p.knowledge_id)`,
    [organizationId],
  );
  expect(orphans.rowCount).toBe(0);
  // The sweep comes for what requests left that died.
  await app.db.query(
    `update onboarding_upload set begun_at = begun_at - interval '36 minutes' where organization_id = $1`,
    [organizationId],
  );
  await app.runJob('onboarding-uploads');
  expect(await materialOf(app, organizationId)).toEqual({
    sources: DOCUMENTS.length,
    uploads: 0,
    objects: DOCUMENTS.length,
  });
}

async function expectGone(organizationId: string): Promise<void> {
  await until(
    'it is purged',
    async () => {
      const { rowCount } = await app.db.query('select from organization where id = $1', [organizationId]);
      return rowCount === 0;
    },
    60_000,
  );
  await until('its bytes are gone', async () => (await materialOf(app, organizationId)).objects === 0);
  for (const table of ['onboarding', 'onboarding_source', 'onboarding_upload', 'knowledge_passage', 'chat'])
    expect([table, await count(table, organizationId)]).toEqual([table, 0]);
}
