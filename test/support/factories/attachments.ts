import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import type { Answer, Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';

export interface ChatPlace {
  readonly organizationId: string;
  readonly chatId: string;
}

interface AttachedFile {
  readonly id?: string;
  readonly bytes?: string | Buffer | Readable;
  readonly fileName?: string;
  readonly mediaType?: string;
  readonly contentType?: string;
}

export const MIB = 1024 * 1024;

export function attachmentPath({ organizationId, chatId }: ChatPlace, id: string): string {
  return `/organizations/${organizationId}/chats/${chatId}/attachments/${id}`;
}

export function namesOf(fileName = 'notes.txt', mediaType = 'text/plain'): string {
  return new URLSearchParams({ fileName, mediaType }).toString();
}

/** Attaches a file to a chat; some text unless said otherwise. */
export function attach(
  owner: Client,
  place: ChatPlace,
  { id = randomUUID(), bytes = 'Some notes.', contentType = 'application/octet-stream', ...names }: AttachedFile = {},
): Promise<Answer> {
  const path = `${attachmentPath(place, id)}?${namesOf(names.fileName, names.mediaType)}`;
  return owner.put(path, bytes, { 'content-type': contentType });
}

/** The id of a new attachment. */
export async function attached(owner: Client, place: ChatPlace, file?: AttachedFile): Promise<string> {
  const { status, text, body } = await attach(owner, place, file);
  if (status !== 201) throw new Error(`No attachment: ${text}`);
  return body.data.id as string;
}

/** What there is of a chat's files: attachments, uploads that are noted, and objects. */
export async function filesOf(app: TestApp, { organizationId, chatId }: ChatPlace) {
  const { rows } = await app.db.query<{ attachments: number; uploads: number }>(
    `select (select count(*)::int from attachment where chat_id = $1) as attachments,
       (select count(*)::int from attachment_upload where chat_id = $1) as uploads`,
    [chatId],
  );
  let objects = 0;
  for await (const _ of app.app.get(ObjectStore).list(`organizations/${organizationId}/chats/${chatId}`)) objects += 1;
  return { ...rows[0]!, objects };
}

export const NO_FILES = { attachments: 0, uploads: 0, objects: 0 };
export const ONE_FILE = { attachments: 1, uploads: 0, objects: 1 };
