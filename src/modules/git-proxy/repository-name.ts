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

/**
 * The name of a repository as the settings of its connector spell it, since the host compares names without case; undefined
 * where the connector does not reach it.
 */
export function permittedName(
  name: RepositoryName,
  permitted: readonly string[] | undefined,
): RepositoryName | undefined {
  if (!permitted) return name;
  const wanted = fullNameOf(name).toLowerCase();
  const [owner, repository] = permitted.find((each) => each.toLowerCase() === wanted)?.split('/') ?? [];
  return owner === undefined || repository === undefined ? undefined : { owner, repository };
}
