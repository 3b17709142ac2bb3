/** Asks the workspace whose an authorization is. Its services come with their tools. */
export { WorkspaceSuite } from './workspace-suite.adapter.ts';
