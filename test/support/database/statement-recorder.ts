import pg from 'pg';

type Query = typeof pg.Client.prototype.query;

interface Sent {
  readonly text?: string;
  /** Of a batch. */
  readonly queries?: readonly { readonly statement: { readonly text: string } }[];
}

/** Entities are written with their values in the text. */
const IDS = /'[\da-f]{8}-[\da-f-]{27}'/g;

/** Texts that the service sends while it is recorded, each once; not those of the test's own connections. */
export class StatementRecorder {
  readonly texts = new Set<string>();
  private readonly query: Query = pg.Client.prototype.query;

  start(): this {
    const { query, texts } = this;
    pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
      const [first] = given as [string | Sent];
      const { application_name: name } = (this as unknown as { connectionParameters: { application_name?: string } })
        .connectionParameters;
      if (name === 'business-runner')
        for (const text of textsOf(typeof first === 'string' ? { text: first } : first))
          texts.add(text.replaceAll(IDS, '$0'));
      return Reflect.apply(query, this, given) as unknown;
    } as Query;
    return this;
  }

  stop(): void {
    pg.Client.prototype.query = this.query;
  }
}

function textsOf({ text, queries }: Sent): string[] {
  return queries ? queries.map(({ statement }) => statement.text) : [text!];
}
