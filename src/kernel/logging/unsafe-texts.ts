import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../errors/index.ts';
import { credentialIn } from './credentials.ts';

/**
 * The findings about texts that this service's own logs would redact, at any depth of a JSON value: one for each text,
 * with its dotted path. For what is kept and shown to many, which its author could not take back.
 */
export function unsafeTexts(value: unknown, path = ''): Issue[] {
  if (typeof value === 'string') {
    const found = credentialIn(value);
    return found === undefined
      ? []
      : [issueAt(path, EdgeIssues.unsafeText, `must not hold credentials, and this looks like ${found}`)];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unsafeTexts(part, path === '' ? name : `${path}.${name}`));
}

/** Throws 400 for such texts. */
export function refuseUnsafeTexts(value: unknown): void {
  const issues = unsafeTexts(value);
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
}
