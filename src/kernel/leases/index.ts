/**
 * Guarantees: a claim that waits is answered as soon as there is work, oldest first, and holds no connection until then.
 */
export { WaitingLine } from './waiting-line.ts';
