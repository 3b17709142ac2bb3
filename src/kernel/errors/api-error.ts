import { EdgeErrors } from './edge-errors.ts';
import { EdgeIssues } from './edge-issues.ts';
import type { ErrorRow } from './error-row.ts';
import { type Issue, issueAt, issueCodeOf, type IssueRow } from './issue-row.ts';

interface Details {
  /** Replaces the row's message where a more exact one helps the caller. Never holds SQL, stacks or secrets. */
  readonly message?: string;
  readonly issues?: readonly Issue[];
  /** Response headers that belong to the error, e.g. `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one exception that services, guards and pipes throw on purpose; the filter writes it as the error envelope. */
export class ApiError extends Error {
  readonly row: ErrorRow;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(row: ErrorRow, details: Details = {}) {
    super(details.message ?? row.message);
    this.name = 'ApiError';
    this.row = row;
    this.issues = details.issues;
    this.headers = details.headers ?? {};
  }
}

/** Makes a 400 with one issue, which most hand-written checks of a value need. */
export function invalid(path: string, row: IssueRow, message = row.message): ApiError {
  return new ApiError(EdgeErrors.validationFailed, { issues: [issueAt(path, row, message)] });
}

/**
 * Makes a 401 that says why about the token. The answer carries the code of the route, whichever row it begins with. Whoever
 * sends a token that is not known here learns no more than that.
 */
export function unauthorized(row: ErrorRow, why: IssueRow, message = why.message): ApiError {
  const issues = [issueAt('authorization', why, message)];
  if (why === EdgeIssues.unknownToken) return new ApiError(row, { issues });
  return new ApiError(row, { message: 'This token may not do this here; error.issues says why.', issues });
}

/** An error as a finding about a place, where something is only tried: its issues, or else its own code. */
export function asIssues({ row, message, issues = [] }: ApiError, path: string): readonly Issue[] {
  return issues.length > 0 ? issues : [{ path, code: issueCodeOf(row.code), message }];
}
