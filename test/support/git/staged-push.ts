import { pktLine } from '../../../src/modules/git-proxy/protocol/index.ts';
import type { GitAgent } from '../connectors/code-host.ts';
import type { WorkCopy } from './work-copy.ts';

export interface StagedPush {
  readonly id: string;
  readonly oldOid: string;
  readonly newOid: string;
  readonly ref: string;
  readonly pack: Buffer;
}

interface PushOptions {
  readonly branch?: string;
  /** Whether the branch is a new one. */
  readonly begins?: boolean;
  readonly shallow?: readonly string[];
  /** Whose commit is pushed once more. */
  readonly again?: StagedPush;
}

const TYPE = 'application/x-git-receive-pack-request';
let pushes = 0;

/** A push of one more commit to `Acme/Shop` that awaits approval, in the bytes that git sends for it. */
export async function stagedPush(
  { caller, pathTo }: GitAgent,
  copy: WorkCopy,
  { branch = 'main', begins = false, shallow = [], again }: PushOptions = {},
): Promise<StagedPush> {
  const parent = again?.oldOid ?? (await copy.head());
  const oldOid = begins ? '0'.repeat(40) : parent;
  pushes += 1;
  const newOid = again?.newOid ?? (await copy.commit('README.md', `# Shop, ${pushes}\n`));
  const pack = await copy.pack([newOid, `^${parent}`]);
  const ref = `refs/heads/${branch}`;
  const body = Buffer.concat([
    ...shallow.map((oid) => pktLine(`shallow ${oid}\n`)),
    pktLine(`${oldOid} ${newOid} ${ref}\0 report-status side-band-64k agent=git/2.39.5`),
    Buffer.from('0000'),
    pack,
  ]);
  const { text } = await caller.post(pathTo('Acme/Shop', 'git-receive-pack'), body, { 'content-type': TYPE });
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}(?=\n)/.exec(text)?.[0];
  if (id === undefined || !text.includes('approval required')) throw new Error(`No push: ${text}`);
  return { id, oldOid, newOid, ref, pack };
}
