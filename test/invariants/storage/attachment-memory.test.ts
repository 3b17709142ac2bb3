import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attachmentPath, type ChatPlace, MIB, namesOf } from '../../support/factories/attachments.ts';
import { createChat } from '../../support/factories/chats.ts';
import { type Client, organizationOf } from '../../support/client.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';

const SIZE_BYTES = 50 * MIB;
const UPLOADS = 20;
/** What passes through leaves buffers behind until the collector comes, which it does when it likes: some 30 to 60 MiB. */
const GROWTH_BYTES = (UPLOADS * SIZE_BYTES) / 10;

describe('a service that takes many large files at once', () => {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'attachments-'));
  let app: TestApp;
  let service: ServiceProcess;
  let owner: Client;
  let place: ChatPlace;

  beforeAll(async () => {
    const env = { OBJECT_STORE_DIR: folder };
    const databaseUrl = await freshDatabase('migrated');
    app = await TestApp.start({ databaseUrl, env });
    service = await ServiceProcess.start({ env: onDatabase(databaseUrl, env) });
    owner = await app.person();
    const organizationId = await organizationOf(owner);
    place = { organizationId, chatId: await createChat(owner, organizationId) };
  }, 60_000);
  afterAll(async () => {
    await ServiceProcess.killAll();
    await app.close();
    await rm(folder, { recursive: true });
  });

  it('needs at most a tenth of the memory that they would if they were held', async () => {
    const upload = async () => {
      const piece = Buffer.alloc(MIB, 'text ');
      let left = SIZE_BYTES;
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(piece);
          if ((left -= piece.length) === 0) controller.close();
        },
      });
      const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/octet-stream' };
      const path = `${attachmentPath(place, randomUUID())}?${namesOf()}`;
      const { status } = await fetch(service.baseUrl + path, { method: 'PUT', headers, body, duplex: 'half' });
      return status;
    };
    expect(await upload()).toBe(201);
    const before = service.peakRssBytes();
    const statuses = await Promise.all(Array.from({ length: UPLOADS }, upload));
    expect(new Set(statuses)).toEqual(new Set([201]));
    const grownBytes = service.peakRssBytes() - before;
    process.stderr.write(`${UPLOADS} uploads of 50 MiB at once: ${Math.round(grownBytes / MIB)} MiB more than one\n`);
    expect(grownBytes).toBeLessThan(GROWTH_BYTES);
  }, 120_000);
});
