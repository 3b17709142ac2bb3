import { BrokenFraming, FLUSH, packetsIn, pktLine, textOf } from './pkt-line.ts';

/** What became of one ref, or why nothing did. */
export type RefVerdict =
  | { readonly ref: string; readonly isDone: true }
  | { readonly ref: string; readonly isDone: false; readonly reason: string };

export interface PushReport {
  /** Why the pack was not taken; undefined where it was. */
  readonly unpackFault?: string;
  readonly refs: readonly RefVerdict[];
  /** What the client shows as said by the remote; lost without a side band. */
  readonly remarks?: readonly string[];
}

/** How a client wants to be answered. */
export interface ReportForm {
  readonly isReported: boolean;
  readonly hasSideBand: boolean;
}

const LONGEST_REASON = 200;
const LONGEST_REF = 1_000;
const MOST_REMARKS = 20;
const [REPORT_BAND, REMARK_BAND, FATAL_BAND] = [1, 2, 3];
/** Bytes of a line that a band has for itself; the older band has shorter lines, which fit any client. */
const MOST_BAND_BYTES = 995;

export function reportForm(capabilities: ReadonlySet<string>): ReportForm {
  return {
    isReported: capabilities.has('report-status') || capabilities.has('report-status-v2'),
    hasSideBand: capabilities.has('side-band-64k') || capabilities.has('side-band'),
  };
}

/** The answer to a push, as its client asked for it; empty where it asked for none. */
export function reportBytes({ unpackFault, refs, remarks = [] }: PushReport, form: ReportForm): Buffer {
  const lines = [
    pktLine(unpackFault === undefined ? 'unpack ok\n' : `unpack ${plain(unpackFault)}\n`),
    ...refs.map((verdict) =>
      pktLine(verdict.isDone ? `ok ${verdict.ref}\n` : `ng ${named(verdict.ref)} ${plain(verdict.reason)}\n`),
    ),
    FLUSH,
  ];
  const report = form.isReported ? Buffer.concat(lines) : Buffer.alloc(0);
  if (!form.hasSideBand) return report;
  const said = remarks.flatMap((remark) => banded(REMARK_BAND, Buffer.from(`${plain(remark)}\n`, 'latin1')));
  return Buffer.concat([...said, ...banded(REPORT_BAND, report), FLUSH]);
}

/** A remark by itself, while the answer is still to come. */
export function remarkBytes(text: string): Buffer {
  return Buffer.concat(banded(REMARK_BAND, Buffer.from(`${plain(text)}\n`, 'latin1')));
}

function banded(band: number, bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MOST_BAND_BYTES)
    pieces.push(pktLine(Buffer.concat([Buffer.of(band), bytes.subarray(at, at + MOST_BAND_BYTES)])));
  return pieces;
}

/** A ref as its client named it; what no client can have as a branch fits into a line all the same. */
function named(ref: string): string {
  return ref.replaceAll(/[\0-\x20\x7f]/g, '?').slice(0, LONGEST_REF);
}

/** Visible ASCII on one line: what every client shows. */
function plain(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON);
}

/**
 * Reads a host's answer to a push. Throws `BrokenFraming` at what is none, also where it is not whole. What the host says in
 * words of its own goes through `censored` once it is joined, before anything is cut.
 */
export function reportIn(
  bytes: Uint8Array,
  hasSideBand: boolean,
  censored: (text: string) => string = (text) => text,
): PushReport {
  const { report, said } = hasSideBand ? bandsIn(bytes) : { report: Buffer.from(bytes), said: '' };
  const remarks = remarksIn(censored(said));
  const packets = packetsIn(report);
  const lines = packets.flatMap((packet) => (packet.kind === 'line' ? [textOf(packet.payload)] : []));
  const [first = '', ...others] = lines;
  if (packets.at(-1)?.kind !== 'flush' || !first.startsWith('unpack ')) throw new BrokenFraming('it is no report');
  const unpacked = first.slice('unpack '.length);
  return {
    ...(unpacked === 'ok' ? {} : { unpackFault: censored(unpacked) }),
    refs: others.flatMap((line) => verdictIn(line, censored)),
    ...(remarks.length === 0 ? {} : { remarks }),
  };
}

function verdictIn(line: string, censored: (text: string) => string): readonly RefVerdict[] {
  const [word, ref = '', ...reason] = line.split(' ');
  if (word === 'ok') return [{ ref, isDone: true }];
  if (word === 'ng') return [{ ref, isDone: false, reason: censored(reason.join(' ')) }];
  // Version 2 of the report tells more of a ref behind its line.
  if (word === 'option') return [];
  throw new BrokenFraming('a line of the report is none');
}

/** The report of an answer, and the text that the host says beside it. Throws where the host ended it with an error. */
function bandsIn(bytes: Uint8Array): { readonly report: Buffer; readonly said: string } {
  const packets = packetsIn(bytes);
  if (packets.at(-1)?.kind !== 'flush') throw new BrokenFraming('it does not end');
  const bands = packets.flatMap((packet) => (packet.kind === 'line' ? [packet.payload] : []));
  if (bands.some(([band]) => band === FATAL_BAND)) throw new BrokenFraming('the host broke off');
  const within = (wanted: number) =>
    Buffer.concat(bands.flatMap((payload) => (payload[0] === wanted ? [payload.subarray(1)] : [])));
  return { report: within(REPORT_BAND), said: within(REMARK_BAND).toString('utf8') };
}

/** The first lines; what is drawn over itself, as progress is, counts as lines of its own. */
function remarksIn(text: string): readonly string[] {
  const lines = text.split(/[\r\n]+/).map((line) => plain(line).trim());
  return lines.filter((line) => line !== '').slice(0, MOST_REMARKS);
}
