import { randomToken, sha256 } from '../crypto/index.ts';

/** The tokens of a claim, one for each item that it may get; the database sees only their hashes. */
export class LeaseTokens {
  readonly hashes: readonly Buffer[];
  private readonly tokens: readonly string[];

  constructor(count: number) {
    this.tokens = Array.from({ length: count }, randomToken);
    this.hashes = this.tokens.map(sha256);
  }

  /** The claimed rows in order, each with the token of its place (from 1). */
  givenTo<Row extends { readonly place: number }>(rows: readonly Row[]): { row: Row; leaseToken: string }[] {
    return rows.toSorted((a, b) => a.place - b.place).map((row) => ({ row, leaseToken: this.tokens[row.place - 1]! }));
  }
}
