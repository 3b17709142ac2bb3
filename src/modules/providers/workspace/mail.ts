import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { SentCall, ToolOutput } from '../../integrations/index.ts';
import { atOnce, isObject, type JsonObject, outputOf } from '../wire/index.ts';
import { addressOf, idIn, objectsIn, textIn, type WorkspaceClient } from './client.ts';
import { MAIL_HOST } from './manifest.ts';
import { textOutput } from './text-output.ts';
import { MOST_MAIL_BYTES } from './tool-definitions.ts';

const MESSAGES = '/gmail/v1/users/me/messages';
const AT_ONCE = 4;
const MOST_TEXT_BYTES = 256 * 1_024;
/** Parts within parts. */
const MOST_LEVELS = 20;
const SHOWN = ['Subject', 'From', 'Date'];
const READ_HEADERS = ['Subject', 'From', 'To', 'Cc', 'Date', 'Reply-To', 'Message-ID'];
const OK = { status: 200 };

export interface SearchArguments {
  readonly query: string;
  readonly limit: number;
  readonly page_token?: string;
}

export interface MailArguments {
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Ids by one request, and sender, subject and date by one for each. */
export async function searchMail(
  { query, limit, page_token: pageToken }: SearchArguments,
  client: WorkspaceClient,
): Promise<ToolOutput> {
  const page = await client.read(addressOf(MAIL_HOST, MESSAGES, { q: query, maxResults: String(limit), pageToken }));
  const ids = objectsIn(page['messages'])
    .slice(0, limit)
    .map((each) => idIn(each, OK));
  const messages = await atOnce(ids, AT_ONCE, async (id) => {
    const message = await client.read(
      addressOf(MAIL_HOST, `${MESSAGES}/${encodeURIComponent(id)}`, { format: 'metadata', metadataHeaders: SHOWN }),
    );
    const headers = headersOf(message['payload']);
    return {
      id,
      subject: headers.get('subject') ?? null,
      from: headers.get('from') ?? null,
      date: headers.get('date') ?? null,
      snippet: textIn(message['snippet']),
    };
  });
  return outputOf({ messages, next_page_token: textIn(page['nextPageToken']) });
}

export async function readMail({ id }: { readonly id: string }, client: WorkspaceClient): Promise<ToolOutput> {
  const message = await client.read(addressOf(MAIL_HOST, `${MESSAGES}/${id}`, { format: 'full' }));
  const { payload } = message;
  const headers = headersOf(payload);
  const parts = partsOf(payload);
  const text = parts.find(({ mimeType, filename }) => mimeType === 'text/plain' && !filename);
  const output = {
    id: idIn(message, OK),
    thread_id: textIn(message['threadId']),
    headers: Object.fromEntries(READ_HEADERS.map((name) => [name, headers.get(name.toLowerCase()) ?? null])),
    attachments: parts.flatMap(({ filename, mimeType }) =>
      typeof filename === 'string' && filename !== '' ? [{ name: filename, type: textIn(mimeType) }] : [],
    ),
    // Of a mail that is a page only, its beginning is all that is text.
    is_page_only: !text && parts.some(({ mimeType }) => mimeType === 'text/html'),
  };
  return textOutput(output, text ? contentOf(text) : (textIn(message['snippet']) ?? ''), MOST_TEXT_BYTES);
}

function headersOf(payload: unknown): ReadonlyMap<string, string> {
  const headers = objectsIn(isObject(payload) ? payload['headers'] : undefined);
  return new Map(
    headers.flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
}

/** A part with all that it holds, in their order. */
function partsOf(part: unknown, levels = MOST_LEVELS): readonly JsonObject[] {
  if (!isObject(part) || levels === 0) return [];
  return [part, ...objectsIn(part['parts']).flatMap((each) => partsOf(each, levels - 1))];
}

function contentOf(part: JsonObject): string {
  const body = isObject(part['body']) ? part['body'] : {};
  const bytes = Buffer.from(textIn(body['data']) ?? '', 'base64url');
  const charset = /charset="?([\w-]+)/i.exec(headersOf(part).get('content-type') ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

export function requireMailSize({ text }: MailArguments): void {
  if (Buffer.byteLength(text) > MOST_MAIL_BYTES)
    throw invalid('arguments.text', EdgeIssues.tooLarge, `must have at most ${MOST_MAIL_BYTES} bytes`);
}

export function sendMail(mail: MailArguments, client: WorkspaceClient): Promise<SentCall> {
  const raw = Buffer.from(messageOf(mail)).toString('base64url');
  return client.send(addressOf(MAIL_HOST, `${MESSAGES}/send`), { raw }, (answer) => {
    const { body } = answer;
    const sent = isObject(body) ? body : {};
    return outputOf({ id: idIn(sent, answer), thread_id: textIn(sent['threadId']) });
  });
}

/** The mail as RFC 5322 has it; who sends it, the service says. */
export function messageOf({ to, cc = [], subject, text }: MailArguments): string {
  const body = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')).toString('base64');
  return [
    `To: ${to.join(',\r\n ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(',\r\n ')}`] : []),
    `Subject: ${encodedWords(subject)}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(body.match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n');
}

/** Bytes of a word, which may have 75 characters encoded. */
const WORD_BYTES = 45;

/** RFC 2047: words of whole characters, each of its own. */
function encodedWords(text: string): string {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ');
}
