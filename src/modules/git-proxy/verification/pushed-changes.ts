import type { PrivateRepository } from './private-repository.ts';

/** The tree without files, which every repository has. */
export const NO_FILES = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Of a list of paths. */
const MOST_BYTES = 8 * 1_024 * 1_024;

/** A commit as people read it. */
export interface ShownCommit {
  readonly oid: string;
  readonly author: string;
  readonly at: string;
  readonly subject: string;
}

/** What a commit does to one path, by the letter of `git diff`. */
export interface ChangedPath {
  readonly change: string;
  readonly path: string;
}

/** Commits in the order in which they are named. */
export async function shownCommits(
  repository: PrivateRepository,
  oids: readonly string[],
): Promise<readonly ShownCommit[]> {
  if (oids.length === 0) return [];
  const args = ['log', '--no-walk=unsorted', '-z', '--format=%H%n%aI%n%an%n%s', ...oids];
  const { stdout } = await repository.run(args);
  return recordsIn(stdout).map((record) => {
    const [oid = '', at = '', author = '', ...subject] = record.split('\n');
    return { oid, at, author, subject: subject.join(' ') };
  });
}

/** All paths that differ between two trees or commits, of which the files need not be there. */
export async function changedPaths(
  repository: PrivateRepository,
  from: string,
  to: string,
): Promise<readonly ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to];
  const { status, stdout } = await repository.run(args, { maxBytes: MOST_BYTES });
  if (status !== 0) throw new Error('The trees are not all there.');
  const words = recordsIn(stdout);
  return words.flatMap((change, nth) => (nth % 2 === 0 ? [{ change, path: words[nth + 1] ?? '' }] : []));
}

/** Adds what a host sent to what was pushed. */
export async function addPack(repository: PrivateRepository, pack: Uint8Array): Promise<void> {
  const { status } = await repository.run(['index-pack', '--stdin', '--threads=1'], {}, pack);
  if (status !== 0) throw new Error('The pack of the host is not sound.');
}

function recordsIn(output: Buffer): readonly string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((record) => record !== '');
}
