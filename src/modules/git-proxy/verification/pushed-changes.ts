import { GitStopped } from './git-process.ts';
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
  /** As it is stored: nothing makes it a text. */
  readonly path: Buffer;
  /** What it is, or was; null of an ordinary file. */
  readonly kind: 'link' | 'submodule' | 'executable' | null;
}

/** Of a subject and a name; git does not cut what is no UTF-8. */
const CUT = '%<(300,trunc)';
const WITH_WORDS = `--format=%H%n%aI%n${CUT}%an%n${CUT}%s`;
const WITHOUT_WORDS = '--format=%H%n%aI%n-%nauthor and subject are too long to be shown';

/** Commits in the order in which they are named. */
export async function shownCommits(
  repository: PrivateRepository,
  oids: readonly string[],
): Promise<readonly ShownCommit[]> {
  if (oids.length === 0) return [];
  try {
    return await loggedCommits(repository, oids, WITH_WORDS);
  } catch (error) {
    if (error instanceof GitStopped) return loggedCommits(repository, oids, WITHOUT_WORDS);
    throw error;
  }
}

async function loggedCommits(
  repository: PrivateRepository,
  oids: readonly string[],
  format: string,
): Promise<readonly ShownCommit[]> {
  const { stdout } = await repository.run(['log', '--no-walk=unsorted', '-z', format, ...oids]);
  return recordsIn(stdout.toString('utf8')).map((record) => {
    const [oid = '', at = '', author = '', ...subject] = record.split('\n');
    // What git cuts it also fills up.
    return { oid, at, author: author.trim(), subject: subject.join(' ').trim() };
  });
}

/** All paths that differ between two trees or commits, of which the files need not be there. */
export async function changedPaths(
  repository: PrivateRepository,
  from: string,
  to: string,
): Promise<readonly ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, to];
  const { status, stdout } = await repository.run(args, { maxBytes: MOST_BYTES });
  if (status !== 0) throw new Error('The trees are not all there.');
  const words = recordsIn(stdout.toString('latin1'));
  return words.flatMap((entry, nth) => (nth % 2 === 0 ? [changedPath(entry, words[nth + 1] ?? '')] : []));
}

/** Of `:<old mode> <new mode> <old id> <new id> <letter>`. */
function changedPath(entry: string, path: string): ChangedPath {
  const [before = '', after = '', , , change = ''] = entry.slice(1).split(' ');
  const kind = KINDS[change === 'D' ? before : after] ?? null;
  return { change, path: Buffer.from(path, 'latin1'), kind };
}

const KINDS: Readonly<Record<string, ChangedPath['kind']>> = {
  '100755': 'executable',
  '120000': 'link',
  '160000': 'submodule',
};

/** Adds what a host sent to what was pushed. */
export async function addPack(repository: PrivateRepository, pack: Uint8Array): Promise<void> {
  const { status } = await repository.run(['index-pack', '--stdin', '--threads=1'], {}, pack);
  if (status !== 0) throw new Error('The pack of the host is not sound.');
}

function recordsIn(output: string): readonly string[] {
  return output.split('\0').filter((record) => record !== '');
}
