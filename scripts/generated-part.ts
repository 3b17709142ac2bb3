import { readFileSync, writeFileSync } from 'node:fs';

/** Writes the text between the marks of a document; with `--check` only checks that it is up to date. */
export function writeGenerated(file: string, name: string, text: string): void {
  const marks = { from: `<!-- ${name}: npm run docs -->`, to: `<!-- /${name} -->` };
  const written = readFileSync(file, 'utf8');
  const [before, rest = ''] = written.split(marks.from);
  const after = rest.split(marks.to)[1];
  if (after === undefined) throw new Error(`${file} lacks the marks ${marks.from} and ${marks.to}`);
  const next = `${before}${marks.from}\n${text}\n${marks.to}${after}`;
  if (!process.argv.includes('--check')) writeFileSync(file, next);
  else if (next !== written) {
    console.error(`${file}: the generated part is out of date; run "npm run docs"`);
    process.exitCode = 1;
  }
}
