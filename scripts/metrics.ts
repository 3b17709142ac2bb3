import { globSync } from 'node:fs';
import { definedMetrics, PREFIX } from '../src/kernel/metrics/index.ts';
import { writeGenerated } from './generated-part.ts';

/** Writes the table of docs/operations/metrics.md from those of the kernel and the modules; `--check` only checks that it is up to date. */
await Promise.all(globSync('src/**/*.metrics.ts').map((path) => import(`../${path}`) as Promise<object>));

const rows = definedMetrics().map(({ kind, name, help, labels = {}, buckets }) => {
  const named = Object.entries(labels).map(([label, values]) =>
    typeof values === 'string' ? `\`${label}\`: ${values}` : `\`${label}\`: ${values.join(', ')}`,
  );
  const bounds = buckets ? ` Buckets up to ${buckets.join(', ')}.` : '';
  return `| \`${PREFIX}${name}\` | ${kind} | ${help}${bounds} | ${named.join('<br>')} |`;
});
const table = ['| metric | kind | meaning | labels |', '| --- | --- | --- | --- |', ...rows].join('\n');
writeGenerated('docs/operations/metrics.md', 'metrics', table);
