/**
 * `npm run doctor`: looks at a deployment before it starts, or while it runs, and says in one line each what is wrong and
 * what to do.
 *
 * Guarantees: every invalid variable is named, not only the first; each try has a limit of seconds; what a start refuses
 * is said in the same words, because it comes from the same code; no line holds a secret.
 * Refuses: to change anything. The object that it stores for a moment is removed.
 */
export { diagnose } from './diagnosis.ts';
