import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../src/embedded/index.ts';
import type { Place } from './known.ts';
import type { Memory } from './memory.ts';
import { isFree } from './receiver.ts';
import { Supervised } from './supervised.ts';

const KEY = 'code-host';
const REPOSITORY = 'demo/shop';
const ANSWERS_WITHIN_MS = 20_000;

/** The code host of the demo, with the repository to which its engineers push. */
export class CodeHost {
  private readonly folder: string;
  private readonly memory: Memory;
  private readonly port: number;
  private readonly token: string;

  private constructor(folder: string, memory: Memory, port: number, token: string) {
    this.folder = folder;
    this.memory = memory;
    this.port = port;
    this.token = token;
  }

  /** Prepares it as of an earlier start, unless somebody else listens there now; there is none without git. */
  static async prepare(folder: string, memory: Memory): Promise<CodeHost | undefined> {
    if (spawnSync('git', ['version']).status !== 0) return undefined;
    const { codeHost } = memory.known;
    const port = codeHost && (await isFree(codeHost.port)) ? codeHost.port : await freePort();
    return new CodeHost(folder, memory, port, codeHost?.token ?? randomBytes(16).toString('hex'));
  }

  /** Where the service has to be allowed to go, and whom it takes for the code host. */
  get origin(): string {
    return `http://localhost:${this.port}`;
  }

  async start(failed: (program: Supervised) => void): Promise<void> {
    failed(
      new Supervised({
        name: 'code host',
        args: ['../examples/git-host/server.ts'],
        env: {
          GIT_HOST_TOKEN: this.token,
          REPOSITORIES_DIR: resolve(this.repositories),
          REPOSITORY,
          PORT: String(this.port),
        },
        logFile: join(this.folder, 'git-host.log'),
        onStart: () => undefined,
      }),
    );
    const limit = performance.now() + ANSWERS_WITHIN_MS;
    while (!(await fetch(this.origin).catch(() => undefined))) {
      if (performance.now() > limit) throw new Error(`The code host does not answer; see ${this.folder}/git-host.log.`);
      await wait(50);
    }
  }

  /** Connects the organization, and names the repository for engineering; nothing where an earlier start did it. */
  async connect({ api, organizationId, signal }: Place): Promise<readonly string[]> {
    const path = { organizationId, integrationRef: KEY };
    const isConnected = this.memory.known.codeHost !== undefined;
    if (isConnected) return [];
    await api.call('put', '/organizations/{organizationId}/integrations/{integrationRef}/profiles', {
      path,
      body: { profileGrants: ['engineering'], readOnlyProfileKeys: [] },
      signal,
    });
    await api.call('put', '/organizations/{organizationId}/integrations/{integrationRef}/credential', {
      path,
      body: { kind: 'token', token: this.token },
      signal,
    });
    const { accessMode, contextRevision } = await api.call(
      'put',
      '/organizations/{organizationId}/integrations/{integrationRef}/settings',
      { path, body: { settings: { kind: KEY, repositories: [REPOSITORY] } }, signal },
    );
    const url = `https://github.com/${REPOSITORY}`;
    await api.call('post', '/organizations/{organizationId}/integrations/{integrationRef}/context-mapping', {
      path,
      body: {
        expectedRevision: contextRevision,
        context: {
          departments: ['engineering'],
          resources: [
            {
              kind: 'repository',
              externalId: REPOSITORY,
              name: REPOSITORY,
              url,
              defaultBranch: 'main',
              departments: ['engineering'],
            },
          ],
        },
      },
      signal,
    });
    this.memory.learn({ codeHost: { port: this.port, token: this.token } });
    return [`Connected the code host (${KEY}, ${accessMode}) with ${REPOSITORY} for engineering.`];
  }

  /** Where branches stand that agents pushed, as the repository has it. */
  done(): readonly string[] {
    const lines = this.branches().map(([name, commit, subject]) => `  ${name} stands at ${commit}: ${subject}`);
    return lines.length > 0 ? [`What agents pushed to ${REPOSITORY}:`, ...lines, ''] : [];
  }

  /** Whether a branch stands at a commit. */
  has(commit: string): boolean {
    return this.branches().some(([, stands]) => stands === commit);
  }

  private branches(): readonly (readonly string[])[] {
    const format = '--format=%(refname:short)%09%(objectname)%09%(contents:subject)';
    const at = join(this.repositories, `${REPOSITORY}.git`);
    const said = execFileSync('git', ['--git-dir', at, 'for-each-ref', format, 'refs/heads/'], { encoding: 'utf8' });
    const branches = said.split('\n').filter((line) => line !== '');
    return branches.map((line) => line.split('\t')).filter(([name]) => name !== 'main');
  }

  private get repositories(): string {
    return join(this.folder, 'repositories');
  }
}
