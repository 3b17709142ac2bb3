import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/config/settings.ts';

/** Writes the README's configuration table from the settings themselves; `--check` only says whether it is up to date. */
const MARKS = { from: '<!-- configuration: npm run readme -->', to: '<!-- /configuration -->' };

const rows = Object.entries(settings).map(([name, { description, fallback, secret }]) => {
  const file = secret ? ' (or `' + name + '_FILE`)' : '';
  return `| \`${name}\`${file} | ${description} | ${fallback} |`;
});
const table = ['| variable | what it says | without it |', '| --- | --- | --- |', ...rows].join('\n');

const readme = readFileSync('README.md', 'utf8');
const [before, rest = ''] = readme.split(MARKS.from);
const after = rest.split(MARKS.to)[1];
if (after === undefined) throw new Error(`README.md lacks the marks ${MARKS.from} and ${MARKS.to}`);
const next = `${before}${MARKS.from}\n${table}\n${MARKS.to}${after}`;
if (process.argv.includes('--check')) {
  if (next === readme) process.exit(0);
  console.error('README.md: the configuration table is out of date; run "npm run readme"');
  process.exit(1);
}
writeFileSync('README.md', next);
