import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { writeScalar } from './scalar-script.ts';

/** Source folders of the build. Its root is the repository, so that `migrations` is next to `src` there too. */
const SOURCES = ['src', 'migrations'];
const OUT = 'dist';
const STAMP = join(OUT, '.built');

function sources(): string[] {
  return SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(test|d)\.ts$/.test(name))
      .map((name) => join(folder, name)),
  );
}

/** Whether the build is older than any source or its configuration. */
export function isStale(): boolean {
  const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [...sources(), ...SOURCES, '.swcrc', 'package.json'].some((path) => statSync(path).mtimeMs > built);
}

/** Strips types and writes ES modules with source maps to `dist`. Types are checked by `tsc`, not here. */
export async function build(): Promise<void> {
  removeAbandoned();
  const next = `${OUT}.${process.pid}`;
  for (const path of sources()) {
    const { code, map } = transformFileSync(path, { swcrc: true, sourceMaps: true });
    const target = join(next, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const name = target.slice(target.lastIndexOf('/') + 1);
    writeFileSync(target, `${code}\n//# sourceMappingURL=${name}.map\n`);
    writeFileSync(`${target}.map`, map ?? '');
  }
  await writeScalar(join(next, 'assets'));
  writeFileSync(join(next, '.built'), '');
  replace(next);
}

/** Replaces the old build by the new one. If several are made at once, any one will do, because they are equal. */
function replace(next: string): void {
  const old = `${next}.old`;
  try {
    if (existsSync(OUT)) renameSync(OUT, old);
    renameSync(next, OUT);
  } catch (error) {
    if (!existsSync(STAMP)) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
    rmSync(next, { recursive: true, force: true });
  }
}

/** Removes what builds left that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync('.')) {
    const pid = Number(/^dist\.(\d+)(\.old)?$/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(name, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and is another user's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

// `run.mjs` imports it, so `import.meta.main` is never true here.
if (process.argv[1] === './build.ts') await build();
