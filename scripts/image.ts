import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DockerfileParser, type From, type Copy, type Instruction } from 'dockerfile-ast';
import { freePort, startEmbeddedServer } from '../src/embedded/index.ts';

/**
 * Carries out the Dockerfile in a folder, for machines without a container engine: each stage is a folder in place of
 * `/`. Then starts what the last stage describes, as its user and on a PostgreSQL beside it, waits until it is healthy,
 * asks its doctor, and stops it.
 *
 * Shows that the steps work, that the pruned tree is complete and that nothing is written outside the data folder; not
 * that the base image has what they need.
 */
const ROOT = join(import.meta.dirname, '..');
const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;

interface Stage {
  readonly root: string;
  workdir: string;
  readonly env: Record<string, string>;
  user: string | undefined;
  healthcheck: readonly string[];
  command: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'business-runner-image-'));
chmodSync(folder, 0o755);
try {
  await tryOut(carryOut(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

function carryOut(dockerfile: string): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const name = (instruction as From).getBuildStage() ?? 'last';
      stage = { root: join(folder, name), workdir: '/', env: {}, user: undefined, healthcheck: [], command: [] };
      mkdirSync(stage.root);
      stages.set(name, stage);
    } else step(instruction, stage!, stages);
  }
  return stage!;
}

function step(instruction: Instruction, stage: Stage, stages: ReadonlyMap<string, Stage>): void {
  const args = instruction.getExpandedArguments().map((argument) => argument.getValue());
  const content = instruction.getArgumentsContent() ?? '';
  const here = join(stage.root, stage.workdir);
  switch (instruction.getKeyword()) {
    case 'WORKDIR':
      stage.workdir = args[0]!;
      mkdirSync(join(stage.root, stage.workdir), { recursive: true });
      return;
    case 'ENV': {
      const [name, value] = content.split('=') as [string, string];
      stage.env[name] = value;
      return;
    }
    case 'USER':
      stage.user = args[0]!;
      return;
    case 'COPY': {
      const from = (instruction as Copy).getFromFlag()?.getValue() ?? undefined;
      const sources = args.slice(0, -1);
      for (const source of sources) {
        const path = from === undefined ? join(ROOT, source) : join(stages.get(from)!.root, source);
        const target = join(here, args.at(-1)!, args.at(-1)!.endsWith('/') ? basename(source) : '');
        cpSync(path, target, { recursive: true, verbatimSymlinks: true, filter: (each) => !each.endsWith('.test.ts') });
      }
      return;
    }
    case 'RUN':
      // Packages are of the base image; this machine has its own.
      if (content.startsWith('apt-get ')) return;
      console.log(`RUN ${content}`);
      execFileSync('sh', ['-c', content.replaceAll(' /var/', ` ${stage.root}/var/`)], {
        cwd: here,
        // What the lock names is in npm's cache after the checkout's own install; asking again takes minutes.
        env: { ...stage.env, PATH: path(), HOME: process.env.HOME, npm_config_prefer_offline: 'true' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(content.slice(content.indexOf('['))) as string[];
      return;
    case 'CMD':
      stage.command = JSON.parse(content) as string[];
      return;
    case 'LABEL':
    case 'EXPOSE':
      return;
    default:
      throw new Error(`${instruction.getKeyword()} is not carried out by this script; add it.`);
  }
}

/** This Node first, because the base image has it. */
function path(): string {
  return `${dirname(process.execPath)}:${process.env.PATH}`;
}

async function tryOut({ root, workdir, env, user, healthcheck, command }: Stage): Promise<void> {
  const database = await startEmbeddedServer({ dataDir: join(folder, 'postgres') });
  try {
    const port = await freePort();
    const [uid, gid] = user!.split(':');
    const as = process.getuid!() === 0 ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
    const options = {
      cwd: join(root, workdir),
      env: {
        ...env,
        PATH: path(),
        DATA_DIR: join(root, env.DATA_DIR!),
        DATABASE_URL: database.url,
        PORT: String(port),
        OWNER_BOOTSTRAP_TOKEN: randomBytes(32).toString('hex'),
        AGENT_SERVICE_TOKENS: randomBytes(32).toString('hex'),
        CAPABILITY_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
        ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
        SHUTDOWN_DRAIN_SECONDS: '0',
        LOG_LEVEL: 'warn',
      },
    };
    const [program, ...args] = [...as, ...command];
    const service = spawn(program!, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
    const exited = once(service, 'exit') as Promise<[number | null, string | null]>;
    const run = ([name, ...rest]: readonly string[]) =>
      spawnSync(name!, rest, { ...options, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
    const deadline = performance.now() + READY_LIMIT_MS;
    while (!run([...as, ...healthcheck])) {
      if (service.exitCode !== null || performance.now() > deadline) throw new Error('The service is not healthy.');
      await wait(200);
    }
    console.log('HEALTHCHECK ok');
    if (!run([...as, 'node', 'dist/src/doctor.js'])) throw new Error('The doctor found a fault.');
    service.kill('SIGTERM');
    const [code] = await Promise.race([exited, wait(STOP_LIMIT_MS).then(() => ['still running'])]);
    if (code !== 0) throw new Error(`The service did not stop in order: ${code}.`);
    requireUnwritten(root, env.DATA_DIR!);
  } finally {
    await database.stop();
  }
}

/** The root of the container is read-only: whatever appears there had to be copied or run into it. */
function requireUnwritten(root: string, dataDir: string): void {
  const known = new Set(['app', dataDir.split('/')[1]!]);
  const added = readdirSync(root).filter((name) => !known.has(name));
  if (existsSync(join(root, 'app', '.data'))) added.push('app/.data');
  if (added.length > 0)
    throw new Error(`The service wrote ${added.join(', ')}, which a read-only root does not let it.`);
  const bytes = execFileSync('du', ['-sm', join(root, 'app')], { encoding: 'utf8' }).split('\t')[0];
  console.log(`the tree of the image, without its base: ${bytes} MB; stopped in order`);
}
