import pg from 'pg';
import { type Column, type RowReader, rowReader } from './row-reader.ts';
import { preparedName, type Statement } from '../sql/index.ts';

/** Of `pg`'s connection what its declarations do not tell. */
interface Connection {
  readonly stream: { write(bytes: Buffer): void };
  /** Names that the server has prepared, and those that it has been sent and has not confirmed yet; with their texts. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  _send(message: Buffer): void;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(what: { type: 'P' }): void;
  execute(): void;
  sync(): void;
}

const { utils } = pg as unknown as { utils: { prepareValue(value: unknown): unknown } };

/** One statement of a batch. */
interface Query {
  /** Empty where statements are not named. */
  readonly name: string;
  readonly statement: Statement;
  readonly rows: unknown[];
  read?: RowReader;
}

export interface Result {
  readonly rows: unknown[];
}

type Done = (error: Error | null, results?: Result[]) => void;

/**
 * Several statements as one query of `pg`: sent in one write with one Sync at the end, they are one round trip and, by the
 * protocol, one transaction, which an error undoes as a whole. What a statement sets with `set_config(…, true)` holds for
 * those behind it. (Measured beside `pg`'s own pipelining, which sends a Sync for each statement and needs begin and commit
 * as two more, with eight connections on two busy cores: that takes 2.3 times as long for a single read, 1.25 times for a
 * list of 50 rows of 41 columns, three times for six statements.) It relies on private parts of `pg`, which
 * `library-internals.test.ts` names.
 */
export class Batch implements pg.Submittable {
  private readonly queries: readonly Query[];
  private at = 0;
  private unreadable: Error | null = null;
  private known: Map<string, RowReader> | undefined;
  /** `pg` replaces it to bound the time. */
  callback: Done;

  constructor(statements: readonly Statement[], { prepared }: { readonly prepared: boolean }, done: Done) {
    this.callback = done;
    this.queries = statements.map((each) => ({
      name: prepared ? preparedName(each.text) : '',
      statement: each,
      rows: [],
    }));
  }

  /** Runs the statements on a connection and resolves to one result each. */
  static run(
    client: pg.PoolClient,
    statements: readonly Statement[],
    options: { readonly prepared: boolean },
  ): Promise<Result[]> {
    return new Promise((resolve, reject) => {
      client.query(new Batch(statements, options, (error, results) => (error ? reject(error) : resolve(results!))));
    });
  }

  /** `pg` notes under this name that the server has prepared a text. */
  get name(): string {
    return this.current.name;
  }

  get text(): string {
    return this.current.statement.text;
  }

  get texts(): readonly string[] {
    return this.queries.map(({ statement }) => statement.text);
  }

  readonly submit = (given: pg.Connection): Error | null => {
    const connection = given as unknown as Connection;
    this.known = readersOf(connection);
    const messages: Buffer[] = [];
    const outbox = collecting(connection, messages);
    try {
      for (const query of this.queries) this.send(query, outbox);
    } catch (error) {
      return error as Error;
    }
    outbox.sync();
    connection.stream.write(Buffer.concat(messages));
    return null;
  };

  handleRowDescription({ fields }: { fields: readonly Column[] }): void {
    const { current } = this;
    current.read = rowReader(fields);
    if (current.name) this.known?.set(current.name, current.read);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { rows, read } = this.current;
    try {
      rows.push(read!(fields));
    } catch (error) {
      this.unreadable = error as Error;
    }
  }

  handleCommandComplete(): void {
    this.at += 1;
  }

  handleEmptyQuery(): void {
    this.at += 1;
  }

  /** The server skips what is behind a failed statement, so none of those names is prepared. */
  handleError(error: Error, { submittedNamedStatements }: Connection): void {
    for (const { name } of this.queries.slice(this.at)) if (name) delete submittedNamedStatements[name];
    this.callback(error);
  }

  handleReadyForQuery(): void {
    if (this.unreadable) this.callback(this.unreadable);
    else this.callback(null, [...this.queries]);
  }

  private get current(): Query {
    return this.queries[Math.min(this.at, this.queries.length - 1)]!;
  }

  /** What the server knows of a name is not said or asked again: its text, and what columns its rows have. */
  private send(query: Query, outbox: Connection): void {
    const { name, statement } = query;
    const { parsedStatements, submittedNamedStatements } = outbox;
    if (!name || !(parsedStatements[name] ?? submittedNamedStatements[name])) {
      outbox.parse({ name, text: statement.text });
      if (name) submittedNamedStatements[name] = statement.text;
    }
    outbox.bind({ statement: name, values: statement.values, valueMapper: (value) => utils.prepareValue(value) });
    query.read = this.known!.get(name);
    if (!query.read) outbox.describe({ type: 'P' });
    outbox.execute();
  }
}

const readers = new WeakMap<Connection, Map<string, RowReader>>();

/** How the rows of the statements are read that a connection has prepared. */
function readersOf(connection: Connection): Map<string, RowReader> {
  let known = readers.get(connection);
  if (!known) {
    known = new Map();
    readers.set(connection, known);
  }
  return known;
}

/** The same connection, but that its messages are kept instead of sent. */
function collecting(connection: Connection, messages: Buffer[]): Connection {
  return Object.create(connection, { _send: { value: (message: Buffer) => messages.push(message) } }) as Connection;
}
