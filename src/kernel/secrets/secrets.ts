import { Injectable } from '@nestjs/common';
import { Config, type EncryptionKey } from '../../config/index.ts';
import { sqlState, SqlState, Transactions } from '../database/index.ts';
import { checkContext, KNOWN_TEXT, requireKeys } from './require-keys.ts';
import { open, rewrap, seal, type SealedSecret, type SecretContext } from './sealed-secret.ts';
import { noteKey, storeWrapped, type SealedTable, sealedTables, wrappedByOthers } from './sealed-tables.queries.ts';

/** A secret that cannot be opened: it was moved, changed, or encrypted with a key that the deployment lacks. */
export class UnreadableSecret extends Error {
  constructor(context: SecretContext) {
    super(`The secret of ${context.slice(0, -1).join(' ')} cannot be opened.`);
    this.name = 'UnreadableSecret';
  }
}

const BATCH = 100;

/** Encrypts secrets for the database, each with a key of its own, and those with the deployment's first key. */
@Injectable()
export class Secrets {
  private readonly keys: readonly EncryptionKey[];

  constructor(
    private readonly transactions: Transactions,
    config: Config,
  ) {
    this.keys = config.encryptionKeys;
  }

  seal(value: unknown, context: SecretContext): SealedSecret {
    return seal(this.first, value, context);
  }

  /** Throws `UnreadableSecret` where it does not open. */
  open<T>(sealed: SealedSecret, context: SecretContext): T {
    const key = this.keys.find(({ id }) => id === sealed.keyId);
    try {
      if (key) return open<T>(key, sealed, context);
    } catch {
      // Whatever is wrong with it, it says nothing more.
    }
    throw new UnreadableSecret(context);
  }

  /** For a start: refuses keys with which stored secrets could not be read, and remembers new ones. */
  async require(): Promise<void> {
    try {
      await this.transactions.owner(async (rows) => {
        await requireKeys(this.keys, rows);
        for (const key of this.keys) await rows(noteKey(seal(key, KNOWN_TEXT, checkContext(key.id))));
      });
    } catch (error) {
      // Migrations are missing and left to a command: nothing is stored yet, and the process is not ready.
      if (sqlState(error) !== SqlState.undefinedTable) throw error;
    }
  }

  /** Wraps what other keys wrap with the first one, in all organizations; what does not open stays as it is. */
  async rewrapAll(signal: AbortSignal): Promise<{ readonly moved: number; readonly unreadable: number }> {
    const count = { moved: 0, unreadable: 0 };
    const tables = await this.transactions.dispatch((rows) => rows(sealedTables()));
    for (const table of tables) await this.rewrapTable(table, count, signal);
    return count;
  }

  private async rewrapTable(
    table: SealedTable,
    count: { moved: number; unreadable: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { id: keyId } = this.first;
    let behind: Readonly<Record<string, string | number>> | undefined;
    while (!signal.aborted) {
      const [rows] = await this.transactions.dispatchBatch([wrappedByOthers(table, keyId, behind, BATCH)]);
      const moves = rows.flatMap((row) => {
        const wrappedKey = this.rewrapped(row, [table.name, ...table.key.map((column) => row.place[column]!)]);
        return wrappedKey ? [storeWrapped(table, row, { keyId, wrappedKey })] : [];
      });
      if (moves.length > 0) await this.transactions.dispatchBatch(moves);
      count.moved += moves.length;
      count.unreadable += rows.length - moves.length;
      if (rows.length < BATCH) return;
      behind = rows.at(-1)!.place;
    }
  }

  private rewrapped(
    { keyId, wrappedKey }: { readonly keyId: string; readonly wrappedKey: Buffer },
    context: SecretContext,
  ): Buffer | undefined {
    const from = this.keys.find(({ id }) => id === keyId);
    try {
      return from && rewrap(from, this.first, wrappedKey, context);
    } catch {
      return undefined;
    }
  }

  private get first(): EncryptionKey {
    return this.keys[0]!;
  }
}
