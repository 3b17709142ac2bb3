import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Random } from '../../../faults/random.ts';
import {
  BrokenFraming,
  isObjectId,
  type PushCommands,
  PushRequestReader,
} from '../../../src/modules/git-proxy/protocol/index.ts';
import { type CapturedPushes, capturedPushes } from '../../support/git/captured-pushes.ts';
import { inPieces, mutated } from '../../support/git/push-mutations.ts';
import { Outside } from '../../support/peers/outside.ts';

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The environment asks for more. */
const BODIES = Number(process.env.GIT_FUZZ_COMMANDS ?? 3_000);
const random = new Random(SEED);

let outside: Outside;
let captured: CapturedPushes;
beforeAll(async () => {
  outside = await Outside.start();
  captured = await capturedPushes(outside);
});
afterAll(() => outside.stop());

interface Outcome {
  readonly commands?: PushCommands;
  readonly pack?: Buffer;
  readonly broken?: string;
}

/** What a reader makes of the pieces of a body. Throws what is neither a result nor broken framing. */
function outcomeOf(pieces: readonly Buffer[]): Outcome {
  const reader = new PushRequestReader();
  try {
    for (const [each, piece] of pieces.entries()) {
      const commands = reader.add(piece);
      if (commands) return { commands, pack: Buffer.concat([reader.pack, ...pieces.slice(each + 1)]) };
    }
    return reader.cut();
  } catch (error) {
    if (error instanceof BrokenFraming) return { broken: error.message };
    throw error;
  }
}

/** What a body of lines asks, by the words of Git's documents and nothing of the reader's. */
function linesBefore(body: Buffer, pack: Buffer): readonly string[] {
  const lines: string[] = [];
  let at = 0;
  for (let size = NaN; size !== 0; at += Math.max(size, 4)) {
    size = Number.parseInt(body.toString('latin1', at, at + 4), 16);
    if (size > 0) lines.push(body.toString('utf8', at + 4, at + size).replace(/\n$/, ''));
  }
  expect(body.subarray(at).equals(pack)).toBe(true);
  return lines;
}

it(`reads ${BODIES} broken pushes to a refusal or to what stands in them, however they are cut`, () => {
  const counts = { whole: 0, broken: 0 };
  try {
    for (const body of captured.bodies) expect(outcomeOf([body]).commands?.commands).toHaveLength(1);
    for (let left = BODIES; left > 0; left -= 1) {
      const body = mutated(random, captured.bodies, 0.7);
      const outcome = outcomeOf([body]);
      const again = outcomeOf(inPieces(random, body));
      if (outcome.broken !== undefined || again.broken !== undefined) {
        expect([again.broken === undefined, outcome.broken === undefined]).toEqual([false, false]);
        counts.broken += 1;
        continue;
      }
      counts.whole += 1;
      expect(again).toEqual(outcome);
      const { commands, isSigned, shallow } = outcome.commands!;
      const lines = linesBefore(body, outcome.pack!);
      if (isSigned) continue;
      const said = [
        ...shallow.map((oid) => `shallow ${oid}`),
        ...commands.map((each) => Object.values(each).join(' ')),
      ];
      expect(lines.map((line) => line.split('\0')[0]!.replace(/\n$/, ''))).toEqual(said);
      for (const { oldOid, newOid } of commands) expect([isObjectId(oldOid), isObjectId(newOid)]).toEqual([true, true]);
    }
  } catch (error) {
    process.stderr.write(`seed ${SEED}\n`);
    throw error;
  }
  if (process.env.GIT_FUZZ_COMMANDS) process.stderr.write(`${JSON.stringify(counts)}\n`);
  expect(Math.min(counts.whole, counts.broken)).toBeGreaterThan(BODIES / 20);
});
