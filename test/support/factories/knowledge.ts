import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import type { Workplace } from './engine-rows.ts';
import { newId } from '../../../src/kernel/ids/index.ts';
import { wordsDigestOf, termsOfRecord, titleWordsOf } from '../../../src/modules/knowledge/words/record-words.ts';
import { type Columns, insertRow } from './rows.ts';

/** Bytes of a run, as evidence names them. */
export interface Evidence {
  readonly runId: string;
  readonly path: string;
  readonly sha256: string;
}

/** Bytes that a run has stored, straight in the table. */
export async function evidenceOf(app: TestApp, organizationId: string, runId: string): Promise<Evidence> {
  const { rows } = await app.db.query<{ sha256: string }>(
    `insert into run_artifact (organization_id, run_id, sha256, size_bytes)
     values ($1, $2, encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 5) returning sha256`,
    [organizationId, runId],
  );
  return { runId, path: 'notes.md', sha256: rows[0]!.sha256 };
}

/** An execution that publishes, with evidence of its own. */
export interface Publisher {
  readonly agent: Client;
  readonly runId: string;
  readonly taskId: string;
  readonly evidence: Evidence;
}

/** A live run of a profile that has stored bytes. */
export async function publisher(place: Workplace, key = 'growth', run: Columns = {}): Promise<Publisher> {
  // No test is about its lease, and some take long on a busy machine.
  const lease_expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const { agent, runId, taskId } = await place.run({ run: { lease_expires_at, ...run } }, key);
  return { agent, runId, taskId, evidence: await evidenceOf(place.app, place.organizationId, runId) };
}

/** A body that a publisher may send, about something of its own unless said. */
export function recordBody({ evidence }: Pick<Publisher, 'evidence'>, body: Columns = {}): Columns {
  return {
    key: `key-${randomUUID().slice(0, 13)}`,
    title: 'Prices of the competitors',
    finding: `Both raised the price of their smallest plan to 29 euros (${randomUUID().slice(24)}).`,
    visibility: 'organization',
    evidence: [evidence],
    ...body,
  };
}

export function publish(place: Workplace, by: Publisher, body: Columns = {}): Promise<Answer> {
  return by.agent.post(place.agentPath('/knowledge'), recordBody(by, body));
}

/** Publishes, and answers the record. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
export async function published(place: Workplace, by: Publisher, body: Columns = {}): Promise<any> {
  const { status, text, body: answer } = await publish(place, by, body);
  if (status !== 201) throw new Error(`Nothing published: ${text}`);
  return answer.data;
}

/** A record straight in the table with its passage, of what an execution found unless said. */
export async function knowledgeRow(app: TestApp, organizationId: string, row: Columns = {}): Promise<string> {
  const { title = 'Prices of the competitors', finding = 'Both raised their prices.' } = row as Record<string, string>;
  const key = `key-${randomUUID()}`;
  const copies = {
    organization_id: organizationId,
    origin: 'execution',
    visibility: 'organization',
    department: null,
    required_connector_keys: [],
    stamps: {},
    valid_until: null,
  };
  const id = await insertRow(app, 'knowledge', {
    ...copies,
    id: newId(),
    key,
    title,
    title_words: titleWordsOf(title),
    finding,
    applicability: '',
    procedure: [],
    source_versions: [],
    evidence: [{ runId: randomUUID(), path: 'notes.md', sha256: 'a'.repeat(64) }],
    author_profile_key: 'growth',
    content_digest: randomUUID(),
    finding_digest: wordsDigestOf(finding),
    retained_at: new Date().toISOString(),
    ...row,
  });
  const { rows } = await app.db.query<{ columns: Columns }>(
    `select to_jsonb(k) as columns from knowledge k where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  const given = rows[0]!.columns;
  await insertRow(app, 'knowledge_passage', {
    ...Object.fromEntries(Object.keys(copies).map((column) => [column, given[column]])),
    knowledge_id: id,
    ordinal: 0,
    text: null,
    terms: termsOfRecord({ key: given.key as string, title, finding, applicability: '', procedure: [] }),
    live: given.superseded_by === null && given.revoked_at === null,
  });
  return id;
}
