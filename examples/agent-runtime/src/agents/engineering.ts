import { AgentFailure } from '../failure.ts';
import { compare, cycles, longestChain } from '../files/graph.ts';
import { importsOf, resolveImport, splitComments } from '../files/source.ts';
import { type Agent, asJson, type Finished, table, type Work } from './agent.ts';
import type { TicketGroup } from './support.ts';

interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  readonly imports: readonly string[];
  /** The `imports` that exist at run time. */
  readonly runtimeImports: readonly string[];
  readonly packages: readonly string[];
  readonly markers: readonly { readonly line: number; readonly text: string }[];
}

export interface BugLocation {
  readonly topic: string;
  readonly reports: number;
  readonly urgent: boolean;
  readonly frame: string;
  /** False if the source has no such file or line, because the report is about another version. */
  readonly found: boolean;
  readonly fileLines: number;
  readonly importedBy: number;
}

const MARKER = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** Maps a source tree (sizes, imports, unfinished places) and finds the files that the bug reports of support name. */
export const engineering: Agent = async (work) => {
  const folder = work.inputs.find((each) => !/\.\w+$/.test(each));
  if (!folder) throw new AgentFailure('input_missing', 'The task names no folder of source files', 'config');
  const files = await work.step('source', async () => {
    const paths = (await work.list(folder)).filter((path) => path.endsWith('.ts'));
    if (paths.length === 0) throw new AgentFailure('input_empty', `${folder} has no TypeScript files`, 'config');
    const known = new Set(paths);
    return Promise.all(paths.map(async (path) => readSource(path, await work.read(path), known)));
  });
  const importers = countImporters(files);
  const graph = new Map(files.map(({ path, runtimeImports }) => [path, runtimeImports]));
  const loops = cycles(graph);
  const chain = longestChain(graph);
  const reports = await work.delivered('bug-reports');
  const locations = await work.step('bugs', () =>
    locateBugs(JSON.parse(reports ?? '[]') as TicketGroup[], files, importers),
  );
  const pushed = await pushLocations(work, locations);
  if (pushed && 'kind' in pushed) return pushed;
  const markers = files.flatMap(({ path, markers }) => markers.map(({ line, text }) => [`${path}:${line}`, text]));
  const total = (key: 'bytes' | 'lines') => files.reduce((sum, file) => sum + file[key], 0);
  const summary =
    `${files.length} files with ${total('lines')} lines; ${loops.length} import cycles; the longest chain of imports has ` +
    `${chain.length} files; ${markers.length} unfinished places. ${locations.filter(({ found }) => found).length} of ` +
    `${locations.length} reported bugs with a stack trace lead to a line of this source.`;
  const largest = [...files].sort((a, b) => b.lines - a.lines || compare(a.path, b.path)).slice(0, 10);
  const wanted = [...importers].sort((a, b) => b[1] - a[1] || compare(a[0], b[0])).slice(0, 10);
  const report = [
    '# Where the code needs attention',
    summary,
    '## Where the reported bugs are',
    locations.length === 0
      ? 'No bug report has a stack trace.'
      : table(
          ['bug', 'reports', 'urgent', 'innermost line', 'in this source', 'imported by'],
          locations.map(({ topic, reports, urgent, frame, found, importedBy }) => {
            return [topic, reports, urgent ? 'yes' : 'no', frame, found ? 'yes' : 'no', importedBy];
          }),
        ),
    ...(pushed
      ? ['## Where it can be mended', table(['repository', 'branch', 'commit'], [[pushed.name, BRANCH, pushed.commit]])]
      : []),
    '## Largest files',
    table(
      ['file', 'lines', 'bytes', 'imports', 'imported by'],
      largest.map(({ path, lines, bytes, imports }) => [path, lines, bytes, imports.length, importers.get(path) ?? 0]),
    ),
    '## Most imported files',
    table(['file', 'imported by'], wanted),
    '## Import cycles',
    loops.length === 0 ? 'None.' : loops.map((loop) => `- ${loop.join(' → ')}`).join('\n'),
    '## Longest chain of imports',
    chain.map((path, index) => `${index + 1}. ${path}`).join('\n'),
    '## Unfinished places',
    markers.length === 0 ? 'None.' : table(['place', 'comment'], markers),
  ].join('\n\n');
  return {
    kind: 'completed',
    summary,
    deliveries: [
      { kind: 'department-report', name: 'engineering-report.md', mediaType: 'text/markdown', text: `${report}\n` },
      { kind: 'bug-locations', name: 'bug-locations.json', mediaType: 'application/json', text: asJson(locations) },
      {
        kind: 'source-map',
        name: 'source-map.json',
        mediaType: 'application/json',
        text: asJson(files.map((file) => Object.assign({ importedBy: importers.get(file.path) ?? 0 }, file))),
      },
    ],
  };
};

const BRANCH = 'reported-bugs';

/**
 * Pushes where the reported bugs are to the repository, where the run may push to one. Where a person has to approve that, the
 * run ends, and the next one pushes the same. What is refused is left out: the report needs none of it.
 */
async function pushLocations(
  work: Work,
  locations: readonly BugLocation[],
): Promise<{ readonly name: string; readonly commit: string } | Finished | undefined> {
  const repository = work.repository();
  const found = locations.filter((each) => each.found);
  if (!repository || found.length === 0) return undefined;
  const rows = found.map(({ topic, reports, frame }) => [topic, reports, frame]);
  const pushed = await repository.push({
    branch: BRANCH,
    message: 'Say where the reported bugs are',
    files: { 'reported-bugs.md': `# Reported bugs\n\n${table(['bug', 'reports', 'line'], rows)}\n` },
  });
  if (pushed.kind === 'refused') return undefined;
  if (pushed.kind === 'done') return { name: repository.name, commit: pushed.commit };
  const summary = `Waits before ${BRANCH} of ${repository.name} is pushed`;
  return { kind: 'action_wait', summary, actionIds: [pushed.actionId] };
}

export function readSource(path: string, text: string, known: ReadonlySet<string>): SourceFile {
  const { code, comments } = splitComments(text);
  const imports = importsOf(code).map(({ specifier, typeOnly }) => {
    return { specifier, typeOnly, file: resolveImport(path, specifier, known) };
  });
  const internal = imports.filter(({ file }) => file !== undefined);
  const external = imports.filter(({ specifier }) => !specifier.startsWith('.'));
  return {
    path,
    bytes: Buffer.byteLength(text),
    lines: text.replace(/\n$/, '').split('\n').length,
    imports: unique(internal.map(({ file }) => file!)),
    runtimeImports: unique(internal.filter(({ typeOnly }) => !typeOnly).map(({ file }) => file!)),
    packages: unique(external.map(({ specifier }) => packageOf(specifier))),
    markers: comments.flatMap((comment) =>
      comment.text
        .split('\n')
        .map((line, index) => ({ line: comment.line + index, text: line.replace(/^[\s/*]+|[\s/*]+$/g, '') }))
        .filter(({ text }) => MARKER.test(text)),
    ),
  };
}

/**
 * For each bug, its innermost frame in this source, or its innermost frame if none is. Often reported and urgent bugs
 * come first.
 */
export function locateBugs(
  bugs: readonly TicketGroup[],
  files: readonly SourceFile[],
  importers: ReadonlyMap<string, number>,
): BugLocation[] {
  const linesOf = new Map(files.map(({ path, lines }) => [path, lines]));
  const parts = (frame: string) => [frame.replace(/:\d+$/, ''), Number(/\d+$/.exec(frame)![0])] as const;
  const exists = (frame: string): boolean => parts(frame)[1] <= (linesOf.get(parts(frame)[0]) ?? 0);
  return bugs
    .filter(({ frames }) => frames.length > 0)
    .map(({ topic, messageIds, urgent, frames }) => {
      const frame = frames.find(exists) ?? frames[0]!;
      const [path] = parts(frame);
      const fileLines = linesOf.get(path) ?? 0;
      const importedBy = importers.get(path) ?? 0;
      return { topic, reports: messageIds.length, urgent, frame, found: exists(frame), fileLines, importedBy };
    })
    .sort((a, b) => Number(b.urgent) - Number(a.urgent) || b.reports - a.reports || compare(a.topic, b.topic));
}

function countImporters(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of files.flatMap(({ imports }) => imports)) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
