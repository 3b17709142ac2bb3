import { Readable } from 'node:stream';
import { Capabilities } from '../../../src/kernel/auth/index.ts';
import { sha256 } from '../../../src/kernel/crypto/index.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { Existing } from '../../../src/kernel/http/index.ts';
import { ProposalsService } from '../../../src/modules/actions/index.ts';
import { packKey } from '../../../src/modules/git-proxy/push/index.ts';
import type { GitAgent, useCodeHost } from '../connectors/code-host.ts';
import type { WorkCopy } from './work-copy.ts';

type CodeHost = ReturnType<typeof useCodeHost>;

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

let pushes = 0;

/** A push of one more commit, as an agent's git makes it, that awaits approval. */
export async function stagedPush(
  { app }: Pick<CodeHost, 'app'>,
  { capability }: GitAgent,
  copy: WorkCopy,
  { branch = 'main', begins = false, shallow = [], again }: PushOptions = {},
): Promise<StagedPush> {
  const parent = again?.oldOid ?? (await copy.head());
  const before = begins ? '0'.repeat(40) : parent;
  pushes += 1;
  const newOid = again?.newOid ?? (await copy.commit('README.md', `# Shop, ${pushes}\n`));
  const pack = await copy.pack([newOid, `^${parent}`]);
  const ref = `refs/heads/${branch}`;
  const { execution } = (await app.app.get(Capabilities).verifyGateway(capability))!;
  const proposed = await app.app.get(ProposalsService).propose(
    { ...execution, scope: null },
    {
      kind: 'git_push' as 'tool_call',
      connectorKey: 'code-host',
      toolName: 'git_push',
      arguments: {
        repository: 'Acme/Shop',
        ref,
        oldOid: before,
        newOid,
        shallow,
        packSha256: sha256(pack).toString('hex'),
        packBytes: pack.length,
      },
      title: `Push ${ref}`,
      summary: 'Pushes a commit.',
      dedupeKey: `git:${pushes}`,
    },
  );
  const { id, organizationId } = proposed instanceof Existing ? proposed.data : proposed;
  await app.app.get(ObjectStore).put(packKey(organizationId, id), Readable.from([pack]), { maxBytes: pack.length });
  return { id, oldOid: before, newOid, ref, pack };
}
