import type { Socket } from 'node:net';

/**
 * One connection of a server that lets everybody in and answers every question with the version of PostgreSQL 16, or
 * none.
 */
export class OldPostgres {
  private started = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: { readonly answers: boolean } = { answers: true },
  ) {
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => this.answer(data));
  }

  private answer(data: Buffer): void {
    if (!this.started) {
      this.started = true;
      this.socket.write(Buffer.concat([message('R', int32(0)), READY]));
      return;
    }
    const kind = String.fromCharCode(data[0]!);
    if (kind === 'Q' && this.options.answers)
      this.socket.write(Buffer.concat([COLUMN, ROW, message('C', text('SHOW')), READY]));
    if (kind === 'X') this.socket.end();
  }
}

const READY = message('Z', Buffer.from('I'));
/** One column of text. */
const COLUMN = message(
  'T',
  Buffer.concat([int16(1), text('server_version_num'), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
);
const ROW = message('D', Buffer.concat([int16(1), int32(6), Buffer.from('160004')]));

function message(kind: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), int32(content.length + 4), content]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
