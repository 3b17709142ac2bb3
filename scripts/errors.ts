import { globSync } from 'node:fs';
import { definedIssues, EdgeErrors, type ErrorRow, FAMILY_STATUSES } from '../src/kernel/errors/index.ts';
import { writeGenerated } from './generated-part.ts';

/** Writes the tables of docs/errors.md from those of the modules; `--check` only checks that they are up to date. */
const loaded: object[] = await Promise.all(
  globSync('src/**/*.errors.ts').map((path) => import(`../${path}`) as Promise<object>),
);
const tables: object[] = [EdgeErrors, ...loaded.flatMap((module) => Object.values<object>({ ...module }))];
const errors = tables.flatMap((table) => Object.values<Partial<ErrorRow>>({ ...table })).filter(isError);

const byCode = Map.groupBy(errors, ({ status, code }) => `${status} \`${code}\``);
const errorRows = [...byCode.keys()].sort().map((key) => {
  const [status, code] = key.split(' ');
  const messages = byCode.get(key)!.map(({ message }) => message);
  return `| ${code} | ${status} | ${[...new Set(messages)].sort().join('<br>')} |`;
});
/** No row of a table: of the errors of this one route it replaces the code, and keeps status, message and issues. */
const familyRow = `| \`request_failed\` | ${[...FAMILY_STATUSES].join(', ')} | Every error of \`POST /organizations\`, \`POST /organization-onboardings\` and all routes under \`/onboarding\` with one of these statuses has this code: its message and issues say what is wrong. |`;
const issueRows = definedIssues().map(({ code, message }) => `| \`${code}\` | ${message.replaceAll('|', '\\|')} |`);

writeGenerated(
  'docs/errors.md',
  'errors',
  ['| code | status | message |', '| --- | --- | --- |', familyRow, ...errorRows].join('\n'),
);
writeGenerated('docs/errors.md', 'issues', ['| code | message |', '| --- | --- |', ...issueRows].join('\n'));

function isError(row: Partial<ErrorRow>): row is ErrorRow {
  return row.status !== undefined;
}
