import { describe, expect, it } from '@jest/globals';
import { attachment } from './content-disposition.ts';

describe('attachment', () => {
  it.each([
    ['report.pdf', `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`],
    ['Übersicht 1.csv', `attachment; filename="_bersicht 1.csv"; filename*=UTF-8''%C3%9Cbersicht%201.csv`],
    ['📈', `attachment; filename="_"; filename*=UTF-8''%F0%9F%93%88`],
    [`a"\\%'(*)`, `attachment; filename="a___'(*)"; filename*=UTF-8''a%22%5C%25%27%28%2a%29`],
    ['a\r\nSet-Cookie: b', `attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('keeps %j in one header', (name, header) => expect(attachment(name)).toBe(header));
});
