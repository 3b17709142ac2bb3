import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  attach,
  attached,
  attachmentPath,
  type ChatPlace,
  filesOf,
  MIB,
  NO_FILES,
  ONE_FILE,
} from '../../support/factories/attachments.ts';
import { createChat, firstChat } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownedBy: 'Ada' });
let place: ChatPlace;
beforeEach(async () => {
  place = { organizationId: organization.id, chatId: await createChat(owner, organization.id) };
});

const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/media-types/${name}`, import.meta.url));
const inChat = (at: string) => `/organizations/${organization.id}/chats/${place.chatId}${at}`;

/** So many bytes, a mebibyte at a time. */
function zeros(sizeBytes: number): Readable {
  const piece = Buffer.alloc(MIB);
  const pieces = Array.from({ length: Math.floor(sizeBytes / MIB) }, () => piece);
  return Readable.from([...pieces, ...(sizeBytes % MIB > 0 ? [piece.subarray(0, sizeBytes % MIB)] : [])]);
}

describe('PUT …/attachments/{attachmentId}: 201', () => {
  it('answers with the attachment, which is in the log', async () => {
    const id = randomUUID();
    const { status, body } = await attach(owner, place, {
      id,
      fileName: 'Übersicht "März".csv',
      mediaType: 'text/csv',
      bytes: 'a,b\n',
    });
    expect([status, body.message]).toEqual([201, 'Attachment stored']);
    expect(body.data).toEqual({
      version: 1,
      id,
      ...place,
      fileName: 'Übersicht "März".csv',
      mediaType: 'text/csv',
      sizeBytes: 4,
      sha256: digestOf('a,b\n'),
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      uri: `service://organizations/${organization.id}/chats/${place.chatId}/attachments/${id}`,
    });
    expect(await filesOf(app, place)).toEqual(ONE_FILE);
    const log = await owner.get(`/organizations/${organization.id}/activity?verb=attachment.stored&subjectId=${id}`);
    expect(log.body.data).toMatchObject([
      { actor: { name: 'Ada' }, subject: { label: 'Übersicht "März".csv' }, details: { chatId: place.chatId } },
    ]);
  });

  it('answers the same file as the first time, and keeps it once', async () => {
    const file = { id: randomUUID(), fileName: 'a.txt' };
    const first = await attach(owner, place, file);
    const again = await attach(owner, place, {
      ...file,
      id: file.id.toUpperCase(),
      mediaType: 'Text/Plain; charset=utf-8',
    });
    expect([again.status, again.body.data]).toEqual([201, first.body.data]);
    expect(await filesOf(app, place)).toEqual(ONE_FILE);
  });

  it('takes the same id and bytes in another chat', async () => {
    const file = { id: randomUUID() };
    const other = { organizationId: organization.id, chatId: await createChat(owner, organization.id) };
    for (const chat of [place, other]) expect((await attach(owner, chat, file)).status).toBe(201);
    expect(await filesOf(app, other)).toEqual(ONE_FILE);
  });

  it('takes nothing for a file, where it is text', async () => {
    expect((await attach(owner, place, { bytes: '' })).body.data).toMatchObject({ sizeBytes: 0, sha256: digestOf('') });
  });

  it.each([
    ['page.pdf', 'application/pdf'],
    ['square.png', 'image/png'],
    ['report.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['files.zip', 'application/zip'],
  ])('takes %s as %s', async (fileName, mediaType) => {
    const bytes = fixture(fileName);
    const { status, body } = await attach(owner, place, { fileName, mediaType, bytes });
    expect([status, body.data]).toMatchObject([201, { fileName, mediaType, sha256: digestOf(bytes) }]);
  });
});

describe('PUT …/attachments/{attachmentId}: 201 for names as systems send them', () => {
  it('takes an empty archive by the name that Windows gives it', async () => {
    const bytes = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);
    const { status, body } = await attach(owner, place, {
      fileName: 'a.zip',
      mediaType: 'application/x-zip-compressed',
      bytes,
    });
    expect([status, body.data]).toMatchObject([201, { mediaType: 'application/zip', sizeBytes: 22 }]);
  });

  it('still looks at the content', async () => {
    const { status, body } = await attach(owner, place, { mediaType: 'image/jpg', bytes: fixture('square.png') });
    expect([status, body.error.issues]).toMatchObject([415, [{ path: 'mediaType', code: 'media_type_mismatch' }]]);
  });

  it.each([
    ['C:\\Users\\Ada\\orders.csv', 'orders.csv'],
    ['../../etc/passwd', 'passwd'],
    ['bill\u202Egpj.exe', 'billgpj.exe'],
    ['a\r\nb.txt', 'ab.txt'],
    [`${'folder/'.repeat(60)}a.txt`, 'a.txt'],
  ])('reduces %j to a name, under which it may be sent again', async (sent, kept) => {
    const id = randomUUID();
    for (const fileName of [sent, kept]) {
      const { status, body } = await attach(owner, place, { id, fileName });
      expect([status, body.data?.fileName]).toEqual([201, kept]);
    }
  });
});

describe('PUT …/attachments/{attachmentId}: 400', () => {
  it.each([
    ['', ['fileName', 'mediaType']],
    ['fileName=a', ['mediaType']],
    ['fileName=&mediaType=text/plain', ['fileName']],
    [`fileName=${'a'.repeat(256)}&mediaType=text/plain`, ['fileName']],
    ['fileName=..&mediaType=text/plain', ['fileName']],
    ['fileName=%E2%80%AE&mediaType=text/plain', ['fileName']],
    ['fileName=a&fileName=b&mediaType=text/plain', ['fileName']],
    ['fileName=a&mediaType=text/plain&title=b', ['title']],
  ])('for the query "%s"', async (query, paths) => {
    const path = `${attachmentPath(place, randomUUID())}?${query}`;
    const { status, body } = await owner.put(path, 'x', { 'content-type': 'application/octet-stream' });
    expect([status, body.error.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, paths]);
  });

  it('for an id that is none', async () => {
    const { body } = await attach(owner, place, { id: 'notes' });
    expect(body.error.issues).toEqual([expect.objectContaining({ path: 'attachmentId', code: 'invalid_uuid' })]);
  });
});

describe('PUT …/attachments/{attachmentId}: 401', () => {
  it('wants an owner', async () => {
    const execution = await app.execution({ organizationId: organization.id });
    for (const client of [app.anonymous, app.service, execution])
      expect((await attach(client, place)).body.error.code).toBe('owner_unauthorized');
  });
});

describe('PUT …/attachments/{attachmentId}: 404', () => {
  it('for a chat that is unknown, another organization’s or deleted', async () => {
    const elsewhere = await organizationOf(owner);
    const deleted = await createChat(owner, organization.id);
    await owner.delete(`/organizations/${organization.id}/chats/${deleted}`);
    for (const chatId of [randomUUID(), await createChat(owner, elsewhere), deleted]) {
      const { status, body } = await attach(owner, { organizationId: organization.id, chatId });
      expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
      expect(await filesOf(app, { organizationId: organization.id, chatId })).toEqual(NO_FILES);
    }
  });

  it('for an organization of others', async () => {
    expect((await attach(await app.person(), place)).body.error.code).toBe('organization_not_found');
  });
});

describe('PUT …/attachments/{attachmentId}: 409', () => {
  const refused = async (...[client, chat, file]: Parameters<typeof attach>) => {
    const { status, body } = await attach(client, chat, file);
    expect([status, body.error.code]).toEqual([409, 'attachment_not_allowed']);
  };

  it('for an archived chat, until it is open again', async () => {
    await owner.patch(inChat(''), { status: 'archived' });
    await refused(owner, place);
    expect(await filesOf(app, place)).toEqual(NO_FILES);
    await owner.patch(inChat(''), { status: 'open' });
    expect((await attach(owner, place)).status).toBe(201);
  });

  it('for the onboarding chat, also while the organization is onboarded', async () => {
    const shell = await organizationOf(owner);
    const chat = { organizationId: shell, chatId: await firstChat(app, shell) };
    await app.db.query(`update chat set is_onboarding_chat = true where id = $1`, [chat.chatId]);
    for (const status of ['active', 'onboarding']) {
      await app.db.query(`update organization set status = $2 where id = $1`, [shell, status]);
      await refused(owner, chat);
    }
    expect(await filesOf(app, chat)).toEqual(NO_FILES);
  });

  it('for other bytes or names under the same id; what is there stays', async () => {
    const file = { fileName: 'a.txt', bytes: 'first' };
    const id = await attached(owner, place, file);
    for (const other of [{ bytes: 'other' }, { fileName: 'b.txt' }, { mediaType: 'text/csv' }])
      await refused(owner, place, { ...file, ...other, id });
    expect(await filesOf(app, place)).toEqual(ONE_FILE);
    expect((await owner.get(`${attachmentPath(place, id)}/content`)).text).toBe('first');
  });
});

describe('PUT …/attachments/{attachmentId}: 413', () => {
  it('takes 50 MiB, and not a byte more', async () => {
    const zip = fixture('files.zip');
    const most = Readable.from([zip, ...(await zeros(50 * MIB - zip.length).toArray())]);
    const taken = await attach(owner, place, { mediaType: 'application/zip', bytes: most });
    expect([taken.status, taken.body.data.sizeBytes]).toEqual([201, 50 * MIB]);
    const more = Readable.from([zip, ...(await zeros(50 * MIB - zip.length + 1).toArray())]);
    const { status, body } = await attach(owner, place, { mediaType: 'application/zip', bytes: more });
    expect([status, body.error.code]).toEqual([413, 'attachment_invalid']);
    expect(await filesOf(app, place)).toEqual(ONE_FILE);
  });
});

describe('PUT …/attachments/{attachmentId}: 415', () => {
  it.each(['text/html', 'application/x-msdownload', 'image/svg+xml', 'nonsense'])('for %s', async (mediaType) => {
    const { status, body } = await attach(owner, place, { mediaType });
    expect([status, body.error]).toMatchObject([
      415,
      { code: 'attachment_invalid', issues: [{ path: 'mediaType', code: 'media_type_not_accepted' }] },
    ]);
    expect(await filesOf(app, place)).toEqual(NO_FILES);
  });

  it.each([
    ['image/png', fixture('page.pdf')],
    ['application/pdf', fixture('square.png')],
    ['text/plain', fixture('page.pdf')],
    ['text/csv', Buffer.concat([Buffer.alloc(MIB, 'a,b\n'), Buffer.alloc(1)])],
    ['application/zip', Buffer.from('no archive')],
  ])('for bytes that are not %s, wherever that shows', async (mediaType, bytes) => {
    const { status, body } = await attach(owner, place, { mediaType, bytes });
    expect([status, body.error]).toMatchObject([
      415,
      { code: 'attachment_invalid', issues: [{ path: 'mediaType', code: 'media_type_mismatch' }] },
    ]);
    expect(await filesOf(app, place)).toEqual(NO_FILES);
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'for a body in %s',
    async (contentType) => {
      const { status, body } = await attach(owner, place, { contentType });
      expect([status, body.error.code]).toEqual([415, 'attachment_invalid']);
      expect(body.message).toBe('Send the body as application/octet-stream.');
    },
  );

  it('for a compressed body, and for none', async () => {
    const path = `${attachmentPath(place, randomUUID())}?fileName=a&mediaType=text/plain`;
    const headers = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' };
    for (const answer of [await owner.put(path, 'x', headers), await owner.put(path)])
      expect([answer.status, answer.body.error.code]).toEqual([415, 'attachment_invalid']);
  });
});
