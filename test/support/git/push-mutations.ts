import type { Random } from '../../../faults/random.ts';

/** What readers are likely to trip over, put in place of what stands there. */
const AWKWARD = [
  '0000',
  '0001',
  '0002',
  '0003',
  '0004',
  '0005',
  'fff0',
  'fff4',
  'ffff',
  '-001',
  '+00a',
  '00BC',
  ' 0bc',
];
const WORDS = [
  'PACK',
  'shallow ',
  'push-cert\0',
  'refs/heads/',
  'refs/tags/v1',
  '\0 report-status',
  '\0',
  '\n',
  ' ',
  '0'.repeat(40),
  'f'.repeat(40),
  '../',
  '.lock',
  '\u{1f600}',
];

/** One to four changes of a captured body, of bytes, lengths, whole lines and its end; so many of them before the pack. */
export function mutated(random: Random, captured: readonly Buffer[], inCommands: number): Buffer {
  let body = random.pick(captured);
  for (let left = 1 + Math.floor(random.next() * 4); left > 0; left -= 1)
    body = changed(random, body, captured, inCommands);
  return body;
}

/** The same bytes in pieces of all sizes, empty ones too. */
export function inPieces(random: Random, body: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  const most = random.pick([2, 6, 50, 2_000, body.length + 1]);
  for (let at = 0; at < body.length;) {
    const size = Math.floor(random.next() * most);
    pieces.push(body.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

function changed(random: Random, body: Buffer, captured: readonly Buffer[], inCommands: number): Buffer {
  const end = random.chance(inCommands) ? Math.min(body.length, 300) : body.length;
  const at = Math.floor(random.next() * (end + 1));
  const size = Math.floor(random.next() * random.pick([4, 40, 400]));
  const [before, behind] = [body.subarray(0, at), body.subarray(at)];
  switch (random.pick(['flip', 'drop', 'repeat', 'length', 'word', 'random', 'cut', 'splice', 'move', 'zero'])) {
    case 'flip': {
      const copy = Buffer.from(body);
      if (at < copy.length) copy[at]! ^= 1 << Math.floor(random.next() * 8);
      return copy;
    }
    case 'drop':
      return Buffer.concat([before, behind.subarray(size)]);
    case 'repeat':
      return Buffer.concat([before, behind.subarray(0, size), behind]);
    case 'length':
      return Buffer.concat([Buffer.from(random.pick(AWKWARD)), body.subarray(4)]);
    case 'word': {
      const word = Buffer.from(random.pick([...AWKWARD, ...WORDS]));
      return Buffer.concat([before, word, behind.subarray(random.chance(0.5) ? word.length : 0)]);
    }
    case 'random':
      return Buffer.concat([before, bytes(random, size), behind]);
    case 'cut':
      return random.chance(0.3) ? before : body.subarray(0, Math.floor(random.next() * body.length));
    case 'splice':
      return Buffer.concat([before, random.pick(captured).subarray(at)]);
    case 'move':
      return Buffer.concat([behind.subarray(0, size), before, behind.subarray(size)]);
    default:
      return Buffer.concat([before, Buffer.alloc(size), behind]);
  }
}

function bytes(random: Random, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => Math.floor(random.next() * 256)));
}
