import { settings } from '../src/config/index.ts';
import { writeGenerated } from './generated-part.ts';

/** Writes the table of docs/configuration.md from the settings; `--check` only checks that it is up to date. */
const rows = Object.entries(settings).map(([name, { description, fallback, secret }]) => {
  const file = secret ? ' (or `' + name + '_FILE`)' : '';
  return `| \`${name}\`${file} | ${description} | ${fallback} |`;
});
const table = ['| variable | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
writeGenerated('docs/configuration.md', 'configuration', table);
