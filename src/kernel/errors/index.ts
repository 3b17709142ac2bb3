/**
 * Guarantees: an error is one row (status, code, sentence), thrown as `ApiError` and documented from the same row.
 * Refuses: codes made up where an error happens, and messages that carry SQL, stacks or secrets.
 */
export { ApiError, invalid } from './api-error.ts';
export { EdgeErrors } from './edge-errors.ts';
export { defineErrors, type ErrorRow, type Issue } from './error-row.ts';
