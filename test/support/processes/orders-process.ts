import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { until } from '../until.ts';
import { ProgramProcess } from './program-process.ts';

/** The example of an MCP server as a process of its own, with a file of orders that stays when it is started again. */
export class OrdersProcess extends ProgramProcess {
  static readonly TOKEN = 'orders-token';

  private constructor(
    readonly file: string,
    port: number,
    edition: string,
  ) {
    super(process.execPath, ['examples/mcp-orders/server.ts'], {
      ORDERS_TOKEN: OrdersProcess.TOKEN,
      ORDERS_FILE: file,
      PORT: String(port),
      EDITION: edition,
    });
  }

  static async start({
    file = join(process.env.TEST_FOLDER!, `orders-${randomUUID()}.csv`),
    port = 0,
    edition = '1',
  } = {}) {
    const server = new OrdersProcess(file, port, edition);
    await until('it listens', () => server.log.includes('listening at'));
    return server;
  }

  get origin(): string {
    return /http:\/\/localhost:\d+/.exec(this.log)![0];
  }

  get endpoint(): string {
    return `${this.origin}/mcp`;
  }

  /** How often a text stands in the orders. */
  count(text: string): number {
    return readFileSync(this.file, 'utf8').split(text).length - 1;
  }
}
