import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseCsv } from '../agent-runtime/src/files/csv.ts';

/** One order by the columns of the file, `order_id`, `customer`, `contact`, `status` and `note` among them. */
export type Order = Readonly<Record<string, string>>;

export interface Filter {
  readonly status?: string;
  /** Part of the customer's name, in any case. */
  readonly customer?: string;
  readonly limit: number;
}

/** Orders in a CSV file. Every change is on disk before it is answered, in one piece. */
export class OrdersFile {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  find({ status, customer, limit }: Filter): { readonly orders: readonly Order[]; readonly total: number } {
    const found = this.read().filter(
      (order) =>
        (status === undefined || order.status === status) &&
        (customer === undefined || order.customer!.toLowerCase().includes(customer.toLowerCase())),
    );
    // The newest stand last in the file.
    return { orders: found.slice(-limit).reverse(), total: found.length };
  }

  get(id: string): Order | undefined {
    return this.read().find((order) => order.order_id === id);
  }

  /** Adds to the note of an order; undefined where there is none. */
  note(id: string, text: string): Order | undefined {
    const orders = this.read();
    const at = orders.findIndex((order) => order.order_id === id);
    if (at < 0) return undefined;
    const order = orders[at]!;
    const note = order.note === '' ? text : `${order.note}; ${text}`;
    const noted = { ...order, note };
    this.write(orders.with(at, noted));
    return noted;
  }

  private read(): Order[] {
    return parseCsv(readFileSync(this.path, 'utf8'), this.path);
  }

  private write(orders: readonly Order[]): void {
    const columns = Object.keys(orders[0]!);
    const lines = [columns, ...orders.map((order) => columns.map((column) => order[column]!))];
    writeFileSync(`${this.path}.next`, `${lines.map((cells) => cells.map(quoted).join(',')).join('\n')}\n`);
    renameSync(`${this.path}.next`, this.path);
  }
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
