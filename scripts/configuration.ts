import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/config/index.ts';

/** Writes the table of docs/configuration.md from the settings themselves; `--check` only says whether it is up to date. */
const FILE = 'docs/configuration.md';
const MARKS = { from: '<!-- configuration: npm run docs -->', to: '<!-- /configuration -->' };

const rows = Object.entries(settings).map(([name, { description, fallback, secret }]) => {
  const file = secret ? ' (or `' + name + '_FILE`)' : '';
  return `| \`${name}\`${file} | ${description} | ${fallback} |`;
});
const table = ['| variable | what it says | without it |', '| --- | --- | --- |', ...rows].join('\n');

const written = readFileSync(FILE, 'utf8');
const [before, rest = ''] = written.split(MARKS.from);
const after = rest.split(MARKS.to)[1];
if (after === undefined) throw new Error(`${FILE} lacks the marks ${MARKS.from} and ${MARKS.to}`);
const next = `${before}${MARKS.from}\n${table}\n${MARKS.to}${after}`;
if (process.argv.includes('--check')) {
  if (next === written) process.exit(0);
  console.error(`${FILE}: the table is out of date; run "npm run docs"`);
  process.exit(1);
}
writeFileSync(FILE, next);
