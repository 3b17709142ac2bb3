import { hasFile, type Setting, settings } from '../src/config/index.ts';
import { writeGenerated } from './generated-part.ts';

/** Writes the table of docs/configuration.md from the settings; `--check` only checks that it is up to date. */
const rows = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
  const { description, fallback } = setting;
  const file = hasFile(setting) ? ' (or `' + name + '_FILE`)' : '';
  return `| \`${name}\`${file} | ${description} | ${fallback} |`;
});
const table = ['| variable | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
writeGenerated('docs/configuration.md', 'configuration', table);
