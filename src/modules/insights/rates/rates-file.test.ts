import { describe, expect, it } from '@jest/globals';
import { RatesFile } from './rates-file.ts';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject><gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>`;
const DAY = `<Cube time='2026-09-24'><Cube currency='USD' rate='1.1367'/><Cube currency='JPY' rate='180.57'/></Cube>`;
const TAIL = `</gesmes:Envelope>`;

function read(text: string, keptFrom = '2021-01-01', pieces = 7) {
  const file = new RatesFile(keptFrom);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieces) file.write(bytes.subarray(at, at + pieces));
  return file.end();
}

const whole = (days: string) => `${HEAD}<Cube>${days}</Cube>${TAIL}`;

describe('a file of rates', () => {
  it.each([1, 7, 10_000])('is read in pieces of %i bytes', (pieces) => {
    expect(read(whole(DAY), '2021-01-01', pieces)).toEqual([
      { day: '2026-09-24', currency: 'USD', rate: '1.1367' },
      { day: '2026-09-24', currency: 'JPY', rate: '180.57' },
    ]);
  });

  it('leaves out days that are not kept, days without the dollar, and rates that are none', () => {
    const days = [
      `<Cube time='2026-09-23'><Cube currency='USD' rate='1.1'/><Cube currency='usd' rate='1'/><Cube currency='CZK' rate='N/A'/>`,
      `<Cube currency='GBP' rate='0'/><Cube currency='SEK' rate='-1'/><Cube currency='DKK' rate='7.46'/></Cube>`,
      `<Cube time='2026-09-22'><Cube currency='JPY' rate='180'/></Cube>`,
      `<Cube time='2020-01-02'><Cube currency='USD' rate='1.1'/></Cube>`,
      `<Cube time='2026-02-30'><Cube currency='USD' rate='1.1'/></Cube>`,
    ];
    expect(read(whole(days.join('')))).toEqual([
      { day: '2026-09-23', currency: 'USD', rate: '1.1' },
      { day: '2026-09-23', currency: 'DKK', rate: '7.46' },
    ]);
  });

  it.each([
    ['is cut', whole(DAY).slice(0, -5)],
    ['is cut inside of a tag', whole(DAY).slice(0, -70)],
    ['is empty', ''],
    ['is a page', '<!DOCTYPE html><html><body>Maintenance</body></html>'],
    ['is a page without a document type', '<html><body>Maintenance</body></html>'],
    ['has a document type', `<!DOCTYPE x [<!ENTITY a "1">]>${whole(DAY).replace(/^.*\n/, '')}`],
    ['has an entity that nobody declared', whole(DAY.replace('1.1367', '&rate;'))],
    ['has another root', whole(DAY).replaceAll('gesmes:Envelope', 'gesmes:Letter')],
    ['has a root of another vocabulary', whole(DAY).replace('xml/2002-08-01', 'xml/1999')],
    ['has cubes of another vocabulary', whole(DAY).replace('eurofxref"', 'other"')],
    ['has no day', whole('')],
    ['has a character that XML has not', whole(DAY).replace('Reference', '\u0000')],
  ])('that %s is refused as a whole', (_, text) => {
    expect(() => read(text)).toThrow('The file of exchange rates');
  });
});
