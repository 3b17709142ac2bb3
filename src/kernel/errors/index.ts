/**
 * Guarantees: an error is one row (status, code, message), thrown as `ApiError` and documented from the same row.
 * Refuses: codes invented where an error is thrown, and messages that carry SQL, stacks or secrets.
 */
export { ApiError, asIssues, invalid, unauthorized } from './api-error.ts';
export { EdgeErrors, FAMILY_STATUSES } from './edge-errors.ts';
export { defineErrors, type ErrorRow, withIssues } from './error-row.ts';
export { EdgeIssues, FORM_ISSUES, LOST_LEASE } from './edge-issues.ts';
export { definedIssues, defineIssues, type Issue, issueAt, issueCodeOf, type IssueRow } from './issue-row.ts';
