import type { Readable } from 'node:stream';
import { FLUSH, NO_OBJECT, pktLine, type PushReport, reportIn } from '../../../src/modules/git-proxy/protocol/index.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import type { GitAgent, useCodeHost } from '../connectors/code-host.ts';
import type { WorkCopy } from './work-copy.ts';

type CodeHost = ReturnType<typeof useCodeHost>;

/** As git asks, with a side band. */
export const GIT_ASKS = 'report-status side-band-64k object-format=sha1 agent=git/2.39.5';

export interface PushParts {
  readonly ref?: string;
  readonly oldOid?: string;
  readonly newOid: string;
  readonly pack?: Buffer;
  readonly capabilities?: string;
  readonly shallow?: readonly string[];
  /** Commands behind the first. */
  readonly others?: readonly string[];
}

/** A push as it goes over the wire. */
export function pushBytes(parts: PushParts): Buffer {
  const { ref = 'refs/heads/main', oldOid = NO_OBJECT, newOid, pack = Buffer.alloc(0), shallow = [] } = parts;
  const { capabilities = GIT_ASKS, others = [] } = parts;
  return Buffer.concat([
    ...shallow.map((oid) => pktLine(`shallow ${oid}\n`)),
    pktLine(`${oldOid} ${newOid} ${ref}\0 ${capabilities}`),
    ...others.map((command) => pktLine(command)),
    FLUSH,
    pack,
  ]);
}

export interface PushAnswer {
  readonly status: number;
  readonly type: unknown;
  readonly text: string;
  /** Of an answer in the protocol. */
  readonly report: PushReport | undefined;
}

const REQUEST = 'application/x-git-receive-pack-request';
const RESULT = 'application/x-git-receive-pack-result';

/** Sends the bytes of a push to `Acme/Shop`. */
export async function sendPush(
  { caller, pathTo }: GitAgent,
  body: Buffer | Readable,
  headers: Readonly<Record<string, string>> = {},
): Promise<PushAnswer> {
  const {
    status,
    headers: said,
    text,
  } = await caller.post(pathTo('Acme/Shop', 'git-receive-pack'), body, {
    'content-type': REQUEST,
    ...headers,
  });
  const type = said['content-type'];
  const bytes = Buffer.from(text, 'utf8');
  const report = type === RESULT && bytes.length > 0 ? reportIn(bytes, bytes[4]! < 0x20) : undefined;
  return { status, type, text, report };
}

/** One more commit, as a push of a branch that stood before it. */
export async function oneCommit(copy: WorkCopy, ref: string): Promise<PushParts & { readonly oldOid: string }> {
  const oldOid = await copy.head();
  const newOid = await copy.commit('notes.txt', `${ref}, behind ${oldOid}\n`);
  return { ref, oldOid, newOid, pack: await copy.pack([newOid, `^${oldOid}`]) };
}

export interface Kept {
  readonly actions: number;
  readonly pushes: number;
  /** Notes of bytes on their way. */
  readonly notes: number;
  readonly objects: number;
}

/** What the organization has of pushes. */
export async function keptOf({ app, place }: Pick<CodeHost, 'app' | 'place'>): Promise<Kept> {
  const { organizationId } = place;
  const { rows } = await app.db.query<Omit<Kept, 'objects'>>(
    `select (select count(*)::int from action where organization_id = $1 and kind = 'git_push') as actions,
       (select count(*)::int from git_push where organization_id = $1) as pushes,
       (select count(*)::int from git_push_upload where organization_id = $1) as notes`,
    [organizationId],
  );
  let objects = 0;
  for await (const _ of app.app.get(ObjectStore).list(`organizations/${organizationId}/git-pushes`)) objects += 1;
  return { ...rows[0]!, objects };
}

/** The one reason for which a report refuses. */
export function reasonIn({ report }: PushAnswer): string | undefined {
  const [verdict] = report?.refs ?? [];
  return verdict && !verdict.isDone ? verdict.reason : undefined;
}

/** The reference of the action that a report names. */
export function actionIn(answer: PushAnswer): string {
  return /A-[0-9A-Z]{6}/.exec(reasonIn(answer) ?? '')![0];
}
