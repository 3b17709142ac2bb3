import { EdgeErrors, EdgeIssues, type ErrorRow, withIssues } from '../../errors/index.ts';
import { type EndpointSpec, schemesOf } from './endpoint.ts';

const FOR_AGENTS = /^\/(internal|workers)(\/|$)/;

/** The 401 of a route, by its path alone: routes for agents have their own code, whatever schemes they take. */
export function unauthorizedAt(path: string | undefined): ErrorRow {
  return FOR_AGENTS.test(path ?? '') ? EdgeErrors.agentUnauthorized : EdgeErrors.ownerUnauthorized;
}

/** The same with the issues that it has on this route, for the documents. */
export function unauthorizedIn(spec: EndpointSpec, path: string): ErrorRow {
  const schemes = schemesOf(spec);
  const { unknownToken, wrongKind, notForThisProfile, notInScope } = EdgeIssues;
  return withIssues(
    unauthorizedAt(path),
    unknownToken,
    wrongKind,
    ...(schemes.includes('execution') ? [notForThisProfile] : []),
    ...(spec.scope === undefined ? [] : [notInScope]),
  );
}
