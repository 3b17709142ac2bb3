import { roleFor } from '../../principals/index.ts';
import { type EndpointSpec, schemesOf } from '../endpoint/index.ts';

/** What an operation says of the rights that it takes: for programs, and in its description for people. */
export function rightsOf(
  spec: EndpointSpec,
  path: string,
): { readonly extensions: object; readonly sentence: string | undefined } {
  const { scope } = spec;
  if (scope === undefined) return { extensions: {}, sentence: undefined };
  if (!schemesOf(spec).includes('owner'))
    return {
      extensions: { 'x-scope': scope },
      sentence: `In a chat turn the token that posted the message needs the scope \`${scope}\`.`,
    };
  if (!path.includes('{organizationId}')) return { extensions: { 'x-scope': scope }, sentence: `Scope \`${scope}\`.` };
  const role = roleFor(scope);
  return { extensions: { 'x-scope': scope, 'x-role': role }, sentence: `Scope \`${scope}\`, role \`${role}\`.` };
}
