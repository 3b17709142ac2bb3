import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Extraction } from '../../../src/kernel/extraction/index.ts';
import { COMPANY_DOCUMENTS } from '../../support/documents/company-documents.ts';

const extraction = new Extraction();
afterAll(() => extraction.beforeApplicationShutdown());

describe('a document of a company', () => {
  it.each(COMPANY_DOCUMENTS)('is read, or the warning says why not: $fileName', async (document) => {
    const { bytes, fileName, mediaType, word, warning } = document;
    const source = { bytes: Readable.from([bytes]), sizeBytes: bytes.length, fileName, mediaType };
    const extracted = await extraction.extract(source, new AbortController().signal);
    expect(extracted.warnings.map(({ code }) => code)).toEqual(warning === undefined ? [] : [warning]);
    for (const { message } of extracted.warnings) expect(message).toContain(fileName);
    if (word === undefined) expect(extracted.passages).toEqual([]);
    else expect(extracted.passages.join('\n').toLowerCase()).toContain(word);
  });
});
