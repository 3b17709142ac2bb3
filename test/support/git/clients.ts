import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { gitSettings, SETTINGS_OF_NOBODY } from './git-settings.ts';

export type ClientCommand = 'clone' | 'shallow' | 'fetch' | 'push';

export interface ClientRequest {
  /** Where the service listens. */
  readonly base: string;
  readonly capability: string;
  readonly address: string;
  /** The work copy, which `clone` makes. */
  readonly folder: string;
  readonly branch?: string;
}

export interface ClientAnswer {
  readonly ok: boolean;
  /** All that it showed. */
  readonly said: string;
}

export interface GitClient {
  readonly name: string;
  /** What it can't do by itself. */
  readonly lacks: readonly ClientCommand[];
  /** Whether it ends well although a branch was refused, which it only shows. */
  readonly hidesRefusals: boolean;
  /** Says nothing where it is not here. */
  readonly version: () => Promise<string | undefined>;
  readonly run: (command: ClientCommand, request: ClientRequest) => Promise<ClientAnswer>;
}

/** Where `.ci/git-clients` unpacked those that Debian's stable release does not have. */
const UNPACKED = process.env.GIT_CLIENTS;
/** Debian's own, for which its libraries are. */
const PYTHON = '/usr/bin/python3';
const LIBRARIES = new URL('clients.py', import.meta.url).pathname;

/** Every client that agents are known to come with. Those that are not on this machine say no version. */
export const GIT_CLIENTS: readonly GitClient[] = [
  ...([0, 1, 2] as const).map((protocol) => gitItself(`git, protocol ${protocol}`, 'git', protocol)),
  gitItself('git of the next Debian', unpacked('git-trixie')),
  gitItself('git of the Debian after it', unpacked('git-sid')),
  jgit(unpacked('jgit')),
  library('libgit2', ['shallow']),
  library('dulwich'),
  isomorphic(),
];

function unpacked(program: string): string | undefined {
  return UNPACKED === undefined ? undefined : join(UNPACKED, 'bin', program);
}

function gitItself(name: string, program: string | undefined, protocol?: 0 | 1 | 2): GitClient {
  const run = async (command: ClientCommand, request: ClientRequest): Promise<ClientAnswer> => {
    const { base, capability, address, folder, branch = '' } = request;
    const settings: Record<string, string> = protocol === undefined ? {} : { 'protocol.version': String(protocol) };
    const ways: Record<ClientCommand, readonly string[]> = {
      clone: ['clone', address, folder],
      shallow: ['clone', '--depth=1', address, folder],
      fetch: ['-C', folder, 'fetch', 'origin'],
      push: ['-C', folder, 'push', 'origin', branch],
    };
    return exec(program!, ways[command], gitSettings(base, capability, settings));
  };
  return { name, lacks: [], hidesRefusals: false, version: () => versionOf(program, ['version']), run };
}

function jgit(program: string | undefined): GitClient {
  const run = async (command: ClientCommand, request: ClientRequest): Promise<ClientAnswer> => {
    const { capability, address, folder, branch = '' } = request;
    // It reads no settings from the environment, so those of a user are in a file of its own.
    const home = await fs.promises.mkdtemp(join(folder, '..', 'home-'));
    const setting = `[http]\n\textraHeader = Authorization: Bearer ${capability}\n`;
    await fs.promises.writeFile(join(home, '.gitconfig'), setting, { mode: 0o600 });
    const inside = ['--git-dir', join(folder, '.git')];
    const ways: Record<ClientCommand, readonly string[]> = {
      clone: ['clone', address, folder],
      shallow: ['clone', '--depth', '1', address, folder],
      fetch: [...inside, 'fetch', 'origin'],
      push: [...inside, 'push', 'origin', `refs/heads/${branch}`],
    };
    const env = { HOME: home, JAVA_TOOL_OPTIONS: `-Duser.home=${home} -XX:TieredStopAtLevel=1` };
    return exec(program!, ways[command], env, folder);
  };
  return { name: 'JGit', lacks: [], hidesRefusals: true, version: () => versionOf(program, ['--version']), run };
}

function library(name: 'libgit2' | 'dulwich', lacks: readonly ClientCommand[] = []): GitClient {
  const run = async (command: ClientCommand, request: ClientRequest) => {
    const { capability, address, folder, branch = '' } = request;
    return exec(PYTHON, [LIBRARIES, name, command, address, folder, branch], { CAPABILITY: capability });
  };
  return { name, lacks, hidesRefusals: false, version: () => versionOf(PYTHON, [LIBRARIES, name, 'version']), run };
}

function isomorphic(): GitClient {
  // Node's own agent gives up where nothing comes for five seconds, which a busy machine may take.
  const agent = new Agent();
  const patient = { request: (options: object) => http.request({ ...options, agent } as never) };
  const run = async (command: ClientCommand, request: ClientRequest): Promise<ClientAnswer> => {
    const { capability, address: url, folder: dir, branch: ref = '' } = request;
    const said: string[] = [];
    const headers = { authorization: `Bearer ${capability}` };
    const on = { fs, http: patient, dir, headers, onMessage: (text: string) => void said.push(text) };
    try {
      if (command === 'clone' || command === 'shallow')
        await git.clone({ ...on, url, ...(command === 'shallow' ? { depth: 1 } : {}) });
      else if (command === 'fetch') await git.fetch({ ...on, remote: 'origin' });
      else await git.push({ ...on, remote: 'origin', ref });
      return { ok: true, said: said.join('') };
    } catch (error) {
      return { ok: false, said: [...said, String(error)].join('') };
    }
  };
  return {
    name: 'isomorphic-git',
    lacks: [],
    hidesRefusals: false,
    version: () => Promise.resolve(`isomorphic-git ${git.version()}`),
    run,
  };
}

async function versionOf(program: string | undefined, args: readonly string[]): Promise<string | undefined> {
  if (program === undefined) return undefined;
  const { ok, said } = await exec(program, args, {});
  return ok ? said.trim() : undefined;
}

function exec(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<ClientAnswer> {
  const { promise, resolve } = Promise.withResolvers<ClientAnswer>();
  const options = {
    env: { ...SETTINGS_OF_NOBODY, ...env },
    ...(cwd !== undefined && fs.existsSync(cwd) ? { cwd } : {}),
  };
  execFile(program, [...args], { ...options, timeout: 120_000 }, (error, stdout, stderr) =>
    resolve({ ok: !error, said: `${stdout}${stderr}` }),
  ).stdin?.end();
  return promise;
}
