/**
 * Guarantees: the pages of the document load nothing from another host and report nothing to anybody; their policy says
 * so to the browser.
 * Refuses: pages that others embed, and scripts that are not the service's own files.
 */
export { serveDocs } from './docs.ts';
