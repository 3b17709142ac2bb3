/**
 * Tools that the release defines. Guarantees: a definition's pin is over what the release wrote, without the scope, so that
 * saving settings puts no tool in quarantine; arguments are held against the whole schema, which is closed, and get their
 * defaults, before any scope is looked at and anything is sent.
 */
export { type FixedTool, FixedTools, type Schema, type Scoped } from './fixed-tools.ts';
