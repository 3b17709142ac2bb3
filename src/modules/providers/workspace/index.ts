/**
 * Asks the services of a Google Workspace account that a person granted. Guarantees: tools of other services are not there;
 * a write is one request, sent once; outputs are projections, texts bounded. Refuses: queries in the grammar of files,
 * attachments, pages of mail, and headers within a subject or an address.
 */
export { WorkspaceSuite } from './workspace-suite.adapter.ts';
