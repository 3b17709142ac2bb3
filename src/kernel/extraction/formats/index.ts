/**
 * Guarantees: a source is read as what its bytes are, whatever it was declared to be; what cannot be read has a code that
 * says why.
 * Refuses: scripts, references to other files, document type definitions, deleted and hidden text.
 * Runs in the process of `child.ts` only: readers may take any time and memory, and it is that process that is limited.
 */
export { readSource } from './read-source.ts';
