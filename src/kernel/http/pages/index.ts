/**
 * Guarantees: a page runs no script, loads nothing, stands in no frame, stays out of caches and names itself to no other
 * site; its form goes only here, and is read strictly.
 * Refuses: making HTML; a route escapes what it shows of others.
 */
export { isForm, parseForm } from './form.ts';
export { pageOfError, pageResponses } from './page-responses.ts';
export { answerPage, type Page, pageHeaders } from './page.ts';
