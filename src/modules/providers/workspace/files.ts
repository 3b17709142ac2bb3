import type { ToolOutput } from '../../integrations/index.ts';
import { failed, isObject, type JsonObject, outputOf, requireShape } from '../wire/index.ts';
import { addressOf, idIn, objectsIn, textIn, type WorkspaceClient } from './client.ts';
import { CONTACTS_HOST, DOCS_HOST, FILES_HOST, SHEETS_HOST } from './manifest.ts';
import { textOutput } from './text-output.ts';
import { MOST_CELLS } from './tool-definitions.ts';

const FILES = '/drive/v3/files';
const OK = { status: 200 };
/** Of a document with its marks, of which the text is the smaller part. */
const MOST_DOCUMENT_BYTES = 4 * 1_024 * 1_024;
/** The service gives no more. */
const MOST_CONTACTS = 30;
/** As what documents of the workspace's own types are read. */
const EXPORTS: Readonly<Record<string, string>> = {
  'application/vnd.google-apps.document': 'text/plain',
  'application/vnd.google-apps.presentation': 'text/plain',
  'application/vnd.google-apps.spreadsheet': 'text/csv',
};

export interface QueryArguments {
  readonly query: string;
  readonly limit: number;
}

export async function searchFiles({ query, limit }: QueryArguments, client: WorkspaceClient): Promise<ToolOutput> {
  const words = query.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const page = await client.read(
    addressOf(FILES_HOST, FILES, {
      q: `fullText contains '${words}' and trashed = false`,
      pageSize: String(limit),
      fields: 'nextPageToken,files(id,name,mimeType,modifiedTime,size)',
    }),
  );
  const files = objectsIn(page['files'])
    .slice(0, limit)
    .map((file) => Object.assign({ id: idIn(file, OK) }, describedFile(file)));
  return outputOf({ files }, { truncated: textIn(page['nextPageToken']) !== null });
}

function describedFile({ name, mimeType, modifiedTime, size }: JsonObject) {
  return { name: textIn(name), type: textIn(mimeType), modified_at: textIn(modifiedTime), bytes: textIn(size) };
}

/** What the file is by one request, its text by a second. */
export async function readFile({ id }: { readonly id: string }, client: WorkspaceClient): Promise<ToolOutput> {
  const path = `${FILES}/${id}`;
  const file = await client.read(addressOf(FILES_HOST, path, { fields: 'id,name,mimeType,modifiedTime,size' }));
  requireShape(idIn(file, OK) === id, OK);
  const type = textIn(file['mimeType']) ?? '';
  const exported = EXPORTS[type];
  if (exported === undefined && !/^text\/[a-z0-9.+-]+$/.test(type)) throw failed('rejected', { status: 200 });
  const answer = await client.get(
    exported === undefined
      ? addressOf(FILES_HOST, path, { alt: 'media' })
      : addressOf(FILES_HOST, `${path}/export`, { mimeType: exported }),
    { accepts: exported ?? type },
  );
  requireShape(typeof answer.body === 'string', answer);
  return textOutput({ id, ...describedFile(file) }, answer.body);
}

export async function readCells(
  { id, range }: { readonly id: string; readonly range: string },
  client: WorkspaceClient,
): Promise<ToolOutput> {
  const page = await client.read(
    addressOf(SHEETS_HOST, `/v4/spreadsheets/${id}/values/${encodeURIComponent(range)}`, {
      majorDimension: 'ROWS',
      valueRenderOption: 'FORMATTED_VALUE',
    }),
  );
  const { values = [] } = page;
  requireShape(Array.isArray(values) && values.every(Array.isArray), OK);
  const rows: (readonly unknown[])[] = [];
  let left = MOST_CELLS;
  for (const row of values as readonly (readonly unknown[])[]) {
    if (row.length > left) break;
    rows.push(row.map(cellOf));
    left -= row.length;
  }
  return outputOf({ range: textIn(page['range']), rows }, { truncated: rows.length < values.length });
}

function cellOf(value: unknown): unknown {
  return typeof value === 'object' ? null : value;
}

const RUNS = 'paragraph(elements(textRun(content)))';

export async function readDocument({ id }: { readonly id: string }, client: WorkspaceClient): Promise<ToolOutput> {
  const fields = `documentId,title,body(content(${RUNS},table(tableRows(tableCells(content(${RUNS}))))))`;
  const document = await client.read(addressOf(DOCS_HOST, `/v1/documents/${id}`, { fields }), {
    maxBytes: MOST_DOCUMENT_BYTES,
  });
  const { body } = document;
  requireShape(document['documentId'] === id, OK);
  return textOutput({ id, title: textIn(document['title']) }, textOf(isObject(body) ? body['content'] : []));
}

/** The text of paragraphs, and of tables cell by cell. */
function textOf(content: unknown): string {
  return objectsIn(content)
    .map(({ paragraph, table }) => paragraphOf(paragraph) + tableOf(table))
    .join('');
}

function paragraphOf(paragraph: unknown): string {
  const elements = objectsIn(isObject(paragraph) ? paragraph['elements'] : []);
  return elements.map(({ textRun }) => (isObject(textRun) ? (textIn(textRun['content']) ?? '') : '')).join('');
}

function tableOf(table: unknown): string {
  const rows = objectsIn(isObject(table) ? table['tableRows'] : []);
  return rows
    .map(
      ({ tableCells }) =>
        `${objectsIn(tableCells)
          .map(({ content }) => textOf(content).trimEnd())
          .join('\t')}\n`,
    )
    .join('');
}

export async function searchContacts({ query, limit }: QueryArguments, client: WorkspaceClient): Promise<ToolOutput> {
  const page = await client.read(
    addressOf(CONTACTS_HOST, '/v1/people:searchContacts', {
      query,
      pageSize: String(Math.min(limit, MOST_CONTACTS)),
      readMask: 'names,emailAddresses,phoneNumbers,organizations',
    }),
  );
  const contacts = objectsIn(page['results'])
    .slice(0, limit)
    .map(({ person }) => contactOf(isObject(person) ? person : {}));
  return outputOf({ contacts });
}

function contactOf(person: JsonObject) {
  const texts = (key: string, field: string) =>
    objectsIn(person[key]).flatMap((each) => (typeof each[field] === 'string' ? [each[field]] : []));
  return {
    name: texts('names', 'displayName')[0] ?? null,
    emails: texts('emailAddresses', 'value'),
    phones: texts('phoneNumbers', 'value'),
    organizations: texts('organizations', 'name'),
  };
}
