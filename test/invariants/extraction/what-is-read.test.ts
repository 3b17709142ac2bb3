import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Extraction } from '../../../src/kernel/extraction/index.ts';

const extraction = new Extraction();
afterAll(() => extraction.beforeApplicationShutdown());

function read(content: string | Buffer, mediaType: string, fileName = 'file') {
  const bytes = Buffer.from(content);
  const source = { bytes: Readable.from([bytes]), sizeBytes: bytes.length, fileName, mediaType };
  return extraction.extract(source, new AbortController().signal);
}

describe('text', () => {
  it.each([
    ['text/plain', 'One\n\nTwo\r\nlines\n', ['One\n\nTwo\nlines']],
    ['text/markdown', '# Title\n\ntext', ['# Title\n\ntext']],
    ['application/json', '{"a": 1}', ['{"a": 1}']],
    ['text/csv', 'a,b\n1,"x\ny"\n', ['a,b\n1,"x\ny"']],
    [
      'text/html',
      '<title>T</title><p>a <b>b</b><script>no</script><table><tr><td>c<td>d<tr><td>e',
      ['T\n\na b\n\nc\td\ne'],
    ],
  ])('is read of %s', async (mediaType, content, passages) => {
    const extracted = await read(content, mediaType);
    expect(extracted).toMatchObject({ foundMediaType: mediaType, passages, truncated: false, warnings: [] });
  });
});
