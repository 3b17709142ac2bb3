import { EdgeIssues, invalid } from '../../kernel/errors/index.ts';

const OWNER = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
const REPOSITORY = /^[A-Za-z0-9_.-]{1,100}$/;

/** A repository at the code host, as its address names it. */
export interface RepositoryName {
  readonly owner: string;
  readonly repository: string;
}

/** Reads the names of a path; one `.git` at the end is the address's, not the repository's. 400 where they name none. */
export function repositoryName(owner: string, given: string): RepositoryName {
  const repository = given.endsWith('.git') ? given.slice(0, -'.git'.length) : given;
  if (!OWNER.test(owner)) throw invalid('owner', EdgeIssues.invalidText, 'must be the name of an account');
  if (!REPOSITORY.test(repository) || repository === '..' || /\.$|\.git$/.test(repository))
    throw invalid('repository', EdgeIssues.invalidText, 'must be the name of a repository');
  return { owner, repository };
}

/** As people write it. */
export function fullNameOf({ owner, repository }: RepositoryName): string {
  return `${owner}/${repository}`;
}

/** Whether a repository is among those that a connector reaches, whose names the host compares without case. */
export function isAmong(name: RepositoryName, permitted: readonly string[] | undefined): boolean {
  if (!permitted) return true;
  const wanted = fullNameOf(name).toLowerCase();
  return permitted.some((each) => each.toLowerCase() === wanted);
}
