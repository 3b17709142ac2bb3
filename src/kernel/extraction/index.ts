/**
 * Guarantees: a source is read in a process of its own that has no files but the service's code, no network, no
 * environment, at most 30 s, 512 MiB and one source at a time; it ends with the service, however that ends. What cannot be
 * read has warnings that say why and what to do.
 * Refuses: to trust a declared type, a declared size, or the process that read.
 */
export { EXTRACTOR_VERSION, type Extracted } from './extracted.ts';
export { Extraction } from './extraction.ts';
export { ExtractionModule } from './extraction.module.ts';
