import { diagnose } from './doctor/index.ts';
import { failStart } from './fail-start.ts';

/** Prints the findings, one a line, and exits with 1 if any is a fault. */
try {
  const counts = { ok: 0, warn: 0, FAIL: 0 };
  for await (const { level, about, text } of diagnose(process.env)) {
    counts[level] += 1;
    process.stdout.write(`${level.padEnd(5)} ${about}: ${text}\n`);
  }
  process.stdout.write(`faults: ${counts.FAIL}, warnings: ${counts.warn}\n`);
  process.exit(counts.FAIL > 0 ? 1 : 0);
} catch (error) {
  failStart(error);
}
