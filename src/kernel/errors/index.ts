/**
 * Guarantees: an error is one row (status, code, sentence), thrown as `ApiError` and documented from the same row.
 * Refuses: codes made up where an error happens, and messages that carry SQL, stacks or secrets.
 */
export { ApiError, asIssues, invalid } from './api-error.ts';
export { EdgeErrors } from './edge-errors.ts';
export { defineErrors, type ErrorRow, withIssues } from './error-row.ts';
export { EdgeIssues } from './edge-issues.ts';
export { definedIssues, defineIssues, type Issue, issueAt, issueCodeOf, type IssueRow } from './issue-row.ts';
