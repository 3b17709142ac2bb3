import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BranchChange, Pushed } from './agents/agent.ts';
import { AgentFailure } from './failure.ts';

/** How this run's git reaches a repository: by the service, with a capability that ends with the run. */
export interface GitWay {
  readonly baseUrl: string;
  readonly integrationId: string;
  readonly capability: string;
}

interface Ran {
  readonly isDone: boolean;
  readonly stderr: string;
}

const REPEAT_MS = 500;
/** How long the service, or the host behind it, may be away. */
const LIMIT_MS = 60_000;
const GIT_LIMIT_MS = 120_000;
const MOST_CAPABILITIES = 3;

/**
 * Commits files onto a branch of its own and pushes it. The commit is the same whenever the default branch and the files are,
 * so that a run that is repeated, or goes on behind an approval, pushes the same again and is told what became of it.
 */
export async function pushBranch(
  repository: { readonly name: string; readonly defaultBranch: string },
  change: BranchChange,
  way: () => Promise<GitWay>,
  signal: AbortSignal,
): Promise<Pushed> {
  const startedAt = performance.now();
  for (let refused = 0; ;) {
    signal.throwIfAborted();
    const { isDone, stderr, commit } = await attempt(repository, change, await way(), signal);
    if (isDone) return { kind: 'done', commit };
    const verdict = verdictIn(stderr);
    if (verdict) return verdict;
    const status = Number(/The requested URL returned error: (\d+)/.exec(stderr)?.[1] ?? 0);
    // What the organization grants has moved on, or moves on for good.
    if (status === 401 || status === 409) refused += 1;
    if (status === 404 || refused === MOST_CAPABILITIES) return { kind: 'refused', reason: lastLine(stderr) };
    if (performance.now() - startedAt > LIMIT_MS)
      throw new AgentFailure('code_host_unreachable', lastLine(stderr), 'transient', true);
    await wait(REPEAT_MS, undefined, { signal });
  }
}

async function attempt(
  { name, defaultBranch }: { readonly name: string; readonly defaultBranch: string },
  { branch, message, files }: BranchChange,
  { baseUrl, integrationId, capability }: GitWay,
  signal: AbortSignal,
): Promise<Ran & { readonly commit: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-'));
  // In no argument, address or file, where others would see it.
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${baseUrl}/internal/git/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Bearer ${capability}`,
  };
  const git = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    run(folder, args, { ...env, ...more }, signal);
  const said = async (args: readonly string[], more?: Readonly<Record<string, string>>) => {
    const { isDone, stdout, stderr } = await git(args, more);
    if (!isDone) throw new AgentFailure('git_failed', `git ${args[0]}: ${lastLine(stderr)}`);
    return stdout.trim();
  };
  try {
    const address = `${baseUrl}/internal/git/integrations/${integrationId}/${name}.git`;
    const cloned = await git(['clone', '--quiet', '--branch', defaultBranch, address, '.']);
    if (!cloned.isDone) return { ...cloned, commit: '' };
    await said(['checkout', '--quiet', '-b', branch]);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await said(['add', '--all']);
    const date = await said(['log', '-1', '--format=%cI']);
    await said(['commit', '--quiet', '--allow-empty', '--message', message], {
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    });
    const commit = await said(['rev-parse', 'HEAD']);
    return { ...(await git(['push', '--quiet', 'origin', branch])), commit };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the service said of the branch: it is kept until a person decides, or it is refused. */
function verdictIn(stderr: string): Pushed | undefined {
  const [, reason] = /^ ! \[remote rejected\].*\((.*)\)$/m.exec(stderr) ?? [];
  if (reason === undefined) return undefined;
  const [, actionId] = /^remote: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/m.exec(stderr) ?? [];
  return actionId === undefined ? { kind: 'refused', reason } : { kind: 'waits', actionId };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

function run(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Ran & { readonly stdout: string }> {
  const { promise, resolve } = Promise.withResolvers<Ran & { readonly stdout: string }>();
  const settings = {
    PATH: process.env.PATH ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    GIT_AUTHOR_NAME: 'Engineering',
    GIT_AUTHOR_EMAIL: 'engineering@agents.invalid',
    GIT_COMMITTER_NAME: 'Engineering',
    GIT_COMMITTER_EMAIL: 'engineering@agents.invalid',
  };
  execFile(
    'git',
    [...args],
    { cwd, env: { ...settings, ...env }, signal, timeout: GIT_LIMIT_MS },
    (error, stdout, stderr) => resolve({ isDone: error === null, stdout, stderr: stderr || (error?.message ?? '') }),
  );
  return promise;
}
