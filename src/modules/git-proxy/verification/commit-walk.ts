import type { PrivateRepository } from './private-repository.ts';

/** Of one push. */
export const MOST_COMMITS = 5_000;
/** Of all of them as text. */
const MOST_BYTES = 64 * 1_024 * 1_024;
/** Asked for in one run of git. */
const A_RUN = 500;

/** A commit that a push brings along. */
export interface PushedCommit {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly tree: string;
  /** Whether it names a tree or parents once more where git does not look for them. */
  readonly isAmbiguous: boolean;
}

export interface Walked {
  /** From the newest on, each once. */
  readonly commits: readonly PushedCommit[];
  /** Parents that the push does not bring along. */
  readonly bases: ReadonlySet<string>;
  /** Whether there are more than are walked. */
  readonly isCut: boolean;
}

/** Walks from a commit through all that were pushed with it; what lies behind the pack is not there. */
export async function walkCommits(repository: PrivateRepository, from: string, signal?: AbortSignal): Promise<Walked> {
  const commits: PushedCommit[] = [];
  const bases = new Set<string>();
  const seen = new Set([from]);
  let next = [from];
  let bytes = 0;
  while (next.length > 0) {
    const [asked, later] = [next.slice(0, A_RUN), next.slice(A_RUN)];
    const text = await objectsOf(repository, asked, signal);
    bytes += text.length;
    const found = commitsIn(text, asked);
    next = later;
    for (const oid of asked) {
      const commit = found.get(oid);
      if (!commit) {
        bases.add(oid);
        continue;
      }
      commits.push(commit);
      if (commits.length > MOST_COMMITS || bytes > MOST_BYTES) return { commits, bases, isCut: true };
      for (const parent of commit.parents) {
        if (seen.has(parent)) continue;
        seen.add(parent);
        next.push(parent);
      }
    }
  }
  return { commits, bases, isCut: false };
}

async function objectsOf(
  repository: PrivateRepository,
  oids: readonly string[],
  signal?: AbortSignal,
): Promise<Buffer> {
  const options = { maxBytes: MOST_BYTES, ...(signal ? { signal } : {}) };
  const { stdout } = await repository.run(['cat-file', '--batch'], options, Buffer.from(`${oids.join('\n')}\n`));
  return stdout;
}

/** The commits of an answer of `git cat-file --batch`; what is missing, or of another type, is left out. */
export function commitsIn(answer: Buffer, asked: readonly string[]): ReadonlyMap<string, PushedCommit> {
  const commits = new Map<string, PushedCommit>();
  let at = 0;
  for (const oid of asked) {
    const end = answer.indexOf('\n', at);
    if (end === -1) break;
    const [, type, size] = answer.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type === 'missing') continue;
    const length = Number(size);
    if (type === 'commit') commits.set(oid, commitIn(oid, answer.toString('latin1', at, at + length)));
    at += length + 1;
  }
  return commits;
}

/**
 * Reads a commit as git does: its parents stand between its tree and its author. A header named so further down is
 * nothing to git, and a word to read otherwise for others.
 */
function commitIn(oid: string, text: string): PushedCommit {
  const end = text.indexOf('\n\n');
  const [tree = '', ...lines] = (end === -1 ? text : text.slice(0, end)).split('\n');
  const author = lines.findIndex((line) => !line.startsWith('parent '));
  const parents = author === -1 ? lines : lines.slice(0, author);
  return {
    oid,
    parents: parents.map((line) => line.slice('parent '.length)),
    tree: tree.slice('tree '.length),
    isAmbiguous: lines.slice(parents.length).some((line) => /^(?:tree|parent) /.test(line)),
  };
}
