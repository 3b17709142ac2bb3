import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gitSettings } from '../../test/support/git/git-settings.ts';
import { attemptGit, runGit } from '../../test/support/git/work-copy.ts';
import { dataOf } from '../actions/action-company.ts';
import type { Claim } from '../attempt.ts';
import { type Client, GaveUp, type Heard, type Request } from '../client.ts';
import type { Random } from '../random.ts';
import { GitHost } from './git-host.ts';
import { KEY, type PushCompany } from './push-company.ts';

const OTHER = { op: 'other', name: 'push' } as const;
const WORKPLACE = { harness: 'faults', model: 'none', workspaceUri: 'workspace://faults' };
const HEARTBEAT_MS = 3_000;
const MOST_TRIES = 60;
const LARGEST_FILE = 20_000;

interface Seat {
  readonly client: Client;
  readonly bases: readonly string[];
  readonly serviceToken: string;
  readonly company: PushCompany;
  readonly random: Random;
  /** For the copy of the repository. */
  readonly folder: string;
  /** Branches that are there, each for one push; further pushes begin branches. */
  readonly branches: string[];
}

/** What git works with, for one run. */
interface Access {
  readonly capability: string;
  readonly integrationId: string;
}

interface ManifestAction {
  readonly actionId: string;
}

/**
 * A runtime whose runs push branches with git, each to an action, and wait for them; the run that continues the task once all
 * have ended completes it. The owner approves what is pushed meanwhile.
 */
export class Pusher {
  /** Pushes of which git was told the action. */
  pushed = 0;
  private readonly seat: Seat;
  private readonly copy: string;
  private readonly worker = { workerId: `pusher-${randomUUID()}`, bootId: randomUUID() };

  constructor(seat: Seat) {
    this.seat = seat;
    this.copy = join(seat.folder, this.worker.workerId);
  }

  async work(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const body = { ...this.worker, requestKey: randomUUID(), executionClasses: ['standard'], waitSeconds: 1 };
      const claims = await this.asRuntime('/internal/run-requests/claim', body).then(
        (heard) => (heard.status === 200 ? (heard.body.data as Claim[]) : []),
        unlessGivenUp,
      );
      for (const claim of claims ?? []) await this.run(claim).catch(unlessGivenUp);
    }
  }

  private async run({ organizationId, runRequestId, leaseToken }: Claim): Promise<void> {
    const fence = { organizationId, leaseToken };
    const runId = randomUUID();
    const start = { ...fence, ...this.worker, runId };
    const { executionToken } = dataOf(await this.asRuntime(`/internal/run-requests/${runRequestId}/start`, start));
    const onRun = (call: string, body: object) =>
      this.asRuntime(`/internal/runs/${runId}/${call}`, { ...fence, ...body });
    const asAgent = async (method: Request['method'], rest: string, body?: object) => {
      const path = `/internal/agent/organizations/${organizationId}/${rest}`;
      return dataOf(await this.send({ method, path, token: executionToken, ...(body ? { body } : {}), intent: OTHER }));
    };
    dataOf(await onRun('running', WORKPLACE));
    const over = new AbortController();
    const beating = this.beat(onRun, over.signal);
    try {
      const { organization, task, decisions, unresolvedActions } = await asAgent('GET', 'execution');
      // What an earlier run of the task has left.
      const actionIds: string[] = unresolvedActions.map(({ actionId }: ManifestAction) => actionId);
      const count = Number(task.title.replace('Push ', '')) - decisions.length - actionIds.length;
      if (count > 0) {
        const { authorizationEpoch } = organization;
        const given = await asAgent('POST', `integrations/${KEY}/capability`, { authorizationEpoch });
        const access = { capability: given.integrationGatewayCapability, integrationId: given.integrationId };
        await this.fetched(access);
        for (let n = 1; n <= count; n += 1) actionIds.push(await this.push(access, this.branchFor(`${runId}-${n}`)));
      }
      const result =
        actionIds.length > 0
          ? { kind: 'action_wait', summary: 'Waits for the pushes', actionIds }
          : { kind: 'completed', summary: 'All have ended' };
      dataOf(await onRun('complete', { output: { kind: 'task_result', result } }));
      await Promise.all(actionIds.map((id) => this.approve(id)));
    } finally {
      over.abort();
      await beating;
    }
  }

  private async beat(onRun: (call: string, body: object) => Promise<Heard>, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      await onRun('heartbeat', {}).catch(unlessGivenUp);
      await wait(HEARTBEAT_MS, undefined, { signal: until }).catch(() => undefined);
    }
  }

  /** A copy of the repository as it is now, by way of the service. */
  private fetched(access: Access): Promise<true> {
    return this.persist(
      'fetch',
      async (address, env) => {
        const isThere = existsSync(join(this.copy, '.git'));
        const fetch = ['-C', this.copy, 'fetch', '--quiet', address, '+refs/heads/main:refs/remotes/origin/main'];
        const args = isThere ? fetch : ['clone', '--quiet', address, this.copy];
        return (await attemptGit(this.seat.folder, args, '', env)).status === 0 || undefined;
      },
      access,
    );
  }

  private branchFor(own: string): string {
    return (this.seat.random.chance(0.5) ? this.seat.branches.shift() : undefined) ?? own;
  }

  /** Pushes one more commit to a branch of its own; the id of the action that git is told. */
  private async push(access: Access, branch: string): Promise<string> {
    await runGit(this.copy, ['checkout', '--quiet', '--detach', 'origin/main']);
    const text = 'x'.repeat(Math.ceil(this.seat.random.between(1, LARGEST_FILE)));
    writeFileSync(join(this.copy, 'README.md'), `${branch}\n${text}\n`);
    await runGit(this.copy, ['commit', '--quiet', '--all', '--message', `Change the shop for ${branch}`]);
    const id = await this.persist(
      branch,
      async (address, env) => {
        const { stderr } = await attemptGit(this.copy, ['push', address, `HEAD:refs/heads/${branch}`], '', env);
        return /^remote: ([0-9a-f]{8}-[0-9a-f-]{27})\s*$/m.exec(stderr)?.[1];
      },
      access,
    );
    this.pushed += 1;
    return id;
  }

  /** Tries with git until it comes to something, by whichever process is there. */
  private async persist<T>(
    what: string,
    attempt: (address: string, env: Readonly<Record<string, string>>) => Promise<T | undefined>,
    { capability, integrationId }: Access,
  ): Promise<T> {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1, await wait(200)) {
      const base = this.seat.random.pick(this.seat.bases);
      const address = `${base}/internal/git/integrations/${integrationId}/${GitHost.repository}.git`;
      const found = await attempt(address, gitSettings(base, capability));
      if (found !== undefined) return found;
    }
    throw new GaveUp(`git for ${what}`);
  }

  /** As an owner does who finds it in the inbox, and tries again until it is acknowledged. */
  private async approve(id: string): Promise<void> {
    for (;;) {
      try {
        return await this.seat.company.approve(id);
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error;
        await wait(200);
      }
    }
  }

  private asRuntime(path: string, body: object): Promise<Heard> {
    const waitMs = path.endsWith('/claim') ? 1_000 : 0;
    return this.send({ method: 'POST', path, token: this.seat.serviceToken, body, intent: OTHER, waitMs });
  }

  private send(request: Request): Promise<Heard> {
    return this.seat.client.call(request);
  }
}

/** The run lapses then, and the next one goes on. */
function unlessGivenUp(error: unknown): undefined {
  if (!(error instanceof GaveUp)) console.error(error);
}
