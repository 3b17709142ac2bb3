import { describe, expect, it } from '@jest/globals';
import { document } from './bytes-probe.ts';

describe('the document', () => {
  const { put: upload, get, head } = document.paths['/files/{sha256}']!;
  const binary = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

  it('shows an upload as bytes that are required', () => {
    expect(upload!.requestBody).toEqual({ required: true, content: binary });
    expect(Object.keys(upload!.responses)).toEqual(['201']);
  });

  it('shows a download as bytes, whole or in part, or the reason for none', () => {
    expect(Object.keys(get!.responses)).toEqual(['200', '206', '304', '412', '416']);
    expect(get!.responses).toMatchObject({ 200: { content: binary }, 206: { content: binary } });
    expect(get!.responses['416']).toEqual({ $ref: '#/components/responses/RangeNotSatisfiable' });
    expect(JSON.stringify(document.components!.responses)).toContain('range_not_satisfiable');
    const headers = get!.parameters!.flatMap((each) => ('in' in each && each.in === 'header' ? [each.name] : []));
    expect(headers).toEqual(['Range', 'If-Range', 'If-Match', 'If-None-Match']);
  });

  it('shows HEAD with the headers alone', () => {
    expect(Object.keys(head!.responses)).toEqual(['200', '206', '304', '412', '416']);
    for (const status of ['200', '206']) {
      expect(head!.responses[status]).toHaveProperty('headers.Accept-Ranges');
      expect(head!.responses[status]).not.toHaveProperty('content');
    }
  });

  it('has no schema of a stream', () => {
    expect(Object.keys(document.components!.schemas!).sort()).toEqual([
      'ErrorBody',
      'FormIssueCode',
      'Issue',
      'Meta',
      'Pagination',
      'RestatedMeta',
      'Stored',
      'WarnedMeta',
    ]);
  });
});
