import { EdgeErrors, type ErrorRow } from '../../errors/index.ts';

const FOR_AGENTS = /^\/(internal|workers)(\/|$)/;

/** The 401 of a route, by its path alone: routes for agents have their own code, whatever schemes they take. */
export function unauthorizedAt(path: string | undefined): ErrorRow {
  return FOR_AGENTS.test(path ?? '') ? EdgeErrors.agentUnauthorized : EdgeErrors.ownerUnauthorized;
}
