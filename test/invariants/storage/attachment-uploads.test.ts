import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/kernel/ids/index.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { Uploads } from '../../../src/kernel/uploads/index.ts';
import {
  attachmentUploads,
  insertAttachment,
} from '../../../src/modules/chats/attachments/attachment-uploads.queries.ts';
import {
  attach as attachFile,
  attached,
  attachmentPath,
  type ChatPlace,
  filesOf,
  MIB,
  namesOf,
  NO_FILES,
  ONE_FILE,
} from '../../support/factories/attachments.ts';
import { createChat } from '../../support/factories/chats.ts';
import { type Client, organizationOf } from '../../support/client.ts';
import { S3Peer } from '../../support/peers/s3-peer.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { meetAtLock } from '../../support/database/waiting-calls.ts';
import { until } from '../../support/until.ts';

/** More than a part of what goes to a bucket, so that some of it is there before the rest. */
const MUCH = Buffer.alloc(6 * MIB, 'text ');

/** An upload becomes the attachment whole, once, or leaves nothing: no row, no object, and nothing half-written. */
describe.each(['a folder', 'a bucket'])('with bytes in %s, an upload', (kind) => {
  let peer: S3Peer | undefined;
  let app: TestApp;
  let service: ServiceProcess;
  let owner: Client;
  let place: ChatPlace;
  let halfWritten: () => Promise<number>;

  beforeAll(async () => {
    const env = await environment();
    const databaseUrl = await freshDatabase('migrated');
    app = await TestApp.start({ databaseUrl, env });
    service = await ServiceProcess.start({ env: onDatabase(databaseUrl, { ...env, ROLE: 'api' }) });
    owner = await app.person();
  }, 60_000);
  afterAll(async () => {
    await ServiceProcess.killAll();
    await app.close();
    await peer?.stop();
  });
  beforeEach(async () => {
    const organizationId = place?.organizationId ?? (await organizationOf(owner));
    place = { organizationId, chatId: await createChat(owner, organizationId) };
  });

  async function environment(): Promise<Record<string, string>> {
    if (kind === 'a folder') {
      const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'attachments-'));
      halfWritten = async () => readdirSync(join(folder, '.incoming')).length;
      return { OBJECT_STORE_DIR: folder };
    }
    const bucketed = (peer = await S3Peer.start());
    const env = await bucketed.environment();
    halfWritten = async () => (await bucketed.uploads(env.OBJECT_STORE_S3_BUCKET!)).length;
    return env;
  }

  /** What is begun and not ended. */
  const arriving = (count: number) =>
    until('it arrives', async () => (await filesOf(app, place)).uploads === count && (await halfWritten()) === count);
  const expectLeft = async (files: object) =>
    expect([await filesOf(app, place), await halfWritten()]).toEqual([files, 0]);

  /** An upload of which much has come, and that goes on as it is told. */
  const begun = async (id: string = randomUUID(), others = 0) => {
    const bytes = new Readable({ read: () => undefined });
    const answer = attachFile(owner, place, { id, bytes });
    bytes.push(MUCH);
    await arriving(others + 1);
    const end = async (rest: string | Buffer) => {
      bytes.push(rest);
      bytes.push(null);
      const { status, body } = await answer;
      return { status, body, code: body.error?.code as string | undefined };
    };
    return { id, end };
  };

  it('that breaks off leaves nothing', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `PUT ${attachmentPath(place, randomUUID())}?${namesOf()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n` +
        `Content-Type: application/octet-stream\r\nContent-Length: ${20 * MIB}\r\n\r\n`,
    );
    socket.write(MUCH);
    await arriving(1);
    socket.destroy();
    await until('nothing is left', async () => (await filesOf(app, place)).uploads + (await halfWritten()) === 0);
    await expectLeft(NO_FILES);
  });

  it('that turns out to be too large, or of another type, leaves nothing', async () => {
    const large = await begun();
    expect(await large.end(Buffer.alloc(45 * MIB, 'x'))).toMatchObject({ status: 413, code: 'attachment_invalid' });
    await expectLeft(NO_FILES);
    const binary = await begun();
    expect(await binary.end(Buffer.alloc(1))).toMatchObject({ status: 415, code: 'attachment_invalid' });
    await expectLeft(NO_FILES);
  });

  it('to a chat that is archived or deleted meanwhile leaves nothing', async () => {
    const path = `/organizations/${place.organizationId}/chats/${place.chatId}`;
    const toArchived = await begun();
    await owner.patch(path, { status: 'archived' });
    expect(await toArchived.end('.')).toMatchObject({ status: 409, code: 'attachment_not_allowed' });
    await expectLeft(NO_FILES);
    await owner.patch(path, { status: 'open' });
    const toDeleted = await begun();
    await owner.delete(path);
    expect(await toDeleted.end('.')).toMatchObject({ status: 404, code: 'chat_not_found' });
    await expectLeft(NO_FILES);
  });

  it('that races itself is one attachment, which all are answered', async () => {
    const id = randomUUID();
    const racers = [];
    for (let others = 0; others < 4; others += 1) racers.push(await begun(id, others));
    const answers = await Promise.all(racers.map(({ end }) => end('the end')));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    await expectLeft(ONE_FILE);
  });

  it('that races another file of its id is the attachment, or refused', async () => {
    const id = randomUUID();
    const racers = [await begun(id), await begun(id, 1)];
    const answers = await Promise.all(racers.map(({ end }, index) => end(`the end of ${index}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    await expectLeft(ONE_FILE);
    const { text } = await owner.get(`${attachmentPath(place, id)}/content`, { range: 'bytes=-1' });
    expect(answers[Number(text)]!.status).toBe(201);
  });

  it('whose process dies before it is noted is swept, and not before its time', async () => {
    const [id, proceed] = [randomUUID(), Promise.withResolvers<void>()];
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('beginning ')),
      async pull(controller) {
        await proceed.promise;
        controller.enqueue(Buffer.from('and end'));
        controller.close();
      },
    });
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/octet-stream' };
    const init = { method: 'PUT', headers, body, duplex: 'half' } as const;
    const lost = expect(fetch(`${service.baseUrl}${attachmentPath(place, id)}?${namesOf()}`, init)).rejects.toThrow();
    await until('it is begun', async () => (await filesOf(app, place)).uploads === 1);
    const holder = await app.db.connect();
    await holder.query('begin');
    await holder.query('select from chat where id = $1 for update', [place.chatId]);
    proceed.resolve();
    await until('its bytes are stored', async () => (await filesOf(app, place)).objects === 1);
    await service.kill();
    await holder.query('rollback');
    holder.release();
    await lost;
    await app.runJob('attachment-uploads');
    await expectLeft({ attachments: 0, uploads: 1, objects: 1 });
    await age();
    await app.runJob('attachment-uploads');
    await expectLeft(NO_FILES);
    // The client's retry.
    await attached(owner, place, { id });
    await expectLeft(ONE_FILE);
  });

  it('that was swept because it took too long becomes no attachment', async () => {
    const slow = await begun();
    await age();
    await app.runJob('attachment-uploads');
    expect((await filesOf(app, place)).uploads).toBe(0);
    expect(await slow.end('at last')).toMatchObject({ status: 408, code: 'request_timeout' });
    await expectLeft(NO_FILES);
  });

  it('whose commit nobody was told of is waited for, and kept', async () => {
    const upload = { organizationId: place.organizationId, chatId: place.chatId, id: newId() };
    await app.app
      .get(ObjectStore)
      .put(attachmentUploads.objectKeyOf(upload), Readable.from([Buffer.from('bytes')]), { maxBytes: 5 });
    await app.db.query(`insert into attachment_upload (organization_id, id, chat_id) values ($1, $2, $3)`, [
      upload.organizationId,
      upload.id,
      upload.chatId,
    ]);
    const file = { fileName: 'a.txt', mediaType: 'text/plain', sizeBytes: 5, sha256: 'x' };
    const { text, values } = insertAttachment({ ...place, attachmentId: randomUUID() }, upload, file);
    await meetAtLock(app, { sql: text, values }, [() => app.app.get(Uploads).discard(attachmentUploads, upload)]);
    await expectLeft(ONE_FILE);
  });

  const age = () =>
    app.db.query(`update attachment_upload set begun_at = begun_at - interval '36 minutes' where chat_id = $1`, [
      place.chatId,
    ]);
});
