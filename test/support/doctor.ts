import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { diagnose } from '../../src/doctor/index.ts';

/** Longest that the doctor may take, whatever hangs: connecting and asking have 5 s each, the store has 15 s. */
const BOUND_MS = 30_000;
/** Of the servers that tests start for themselves. */
const WITHOUT_FSYNC = 'warn durability: fsync of the server: off; a crash loses acknowledged work; set to on';
/** Where no server is, for what is looked at without one. */
export const NOWHERE = 'postgresql://postgres@127.0.0.1:1/nothing';

/** What the doctor says, within its bound, one line each, without a secret. */
export async function findings(env: Readonly<Record<string, string>>): Promise<string[]> {
  const startedAt = performance.now();
  const found: string[] = [];
  for await (const finding of diagnose(env)) found.push(`${finding.level} ${finding.about}: ${finding.text}`);
  expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
  for (const line of found) {
    expect(line).not.toContain('CANARY');
    expect(line).not.toContain('\n');
  }
  return found;
}

/** What is not as it should be. */
export async function faults(env: Readonly<Record<string, string>>): Promise<string[]> {
  return (await findings(env)).filter((line) => !line.startsWith('ok ') && line !== WITHOUT_FSYNC);
}

/** The doctor as an operator runs it. */
export async function doctorCommand(
  env: Readonly<Record<string, string>>,
  ...options: string[]
): Promise<{ code: number; stdout: string }> {
  const child = spawn(process.execPath, [...options, 'dist/src/doctor.js'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code: code as number, stdout };
}
