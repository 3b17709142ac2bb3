import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll } from '@jest/globals';
import { Controller, Get, Head, Module, Param, Put, Query } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Config, ConfigModule } from '../../../src/config/index.ts';
import { EnvelopeInterceptor } from '../../../src/kernel/http/envelope.interceptor.ts';
import { Draining } from '../../../src/kernel/http/edge/index.ts';
import { RequestMetrics } from '../../../src/kernel/http/requests/index.ts';
import { EventStreams } from '../../../src/kernel/http/sse/index.ts';
import { ErrorFilter } from '../../../src/kernel/http/error.filter.ts';
import {
  BodyStream,
  type ByteAnswer,
  buildDocument,
  createAdapter,
  Endpoint,
  ResponseSerializers,
} from '../../../src/kernel/http/index.ts';
import { MetricsModule } from '../../../src/kernel/metrics/index.ts';
import { asDeclared, mediaTypeOf, ObjectStore, StorageModule } from '../../../src/kernel/storage/index.ts';
import { Integer, Text, ValidationPipe } from '../../../src/kernel/validation/index.ts';

export const MAX_BYTES = 4 * 1024 * 1024;

class FileParams {
  @Text({ max: 64 })
  sha256!: string;
}

class FileQuery {
  @Text({ max: 255, optional: true })
  mediaType?: string;
}

/** As a family has them that answers with codes of its own. */
const Refusals = {
  tooLarge: { status: 413, code: 'file_invalid', message: 'The file is too large.' },
  otherType: { status: 415, code: 'file_invalid', message: 'The file is not of a type that is taken.' },
};

class StoredDto {
  @Integer({ min: 0 })
  sizeBytes!: number;

  @Text()
  sha256!: string;
}

/** What the files of these tests are called and are, and after how many bytes the store breaks off. */
export const described = { fileName: 'Übersicht.csv', mediaType: 'text/csv', sizeOff: 0, breakAt: Infinity };

@Controller('files')
class FilesController {
  constructor(private readonly objects: ObjectStore) {}

  @Put(':sha256')
  @Endpoint({ summary: 'Store a file', auth: 'public', returns: StoredDto, raw: true, status: 201 })
  store(
    @Param() { sha256 }: FileParams,
    @Query() { mediaType }: FileQuery,
    @BodyStream() body: Readable,
  ): Promise<StoredDto> {
    const key = `files/${sha256}`;
    if (mediaType === undefined) return this.objects.put(key, body, { maxBytes: MAX_BYTES, sha256 });
    const { tooLarge, otherType } = Refusals;
    const checked = asDeclared(body, mediaTypeOf(mediaType, otherType), otherType);
    return this.objects.put(key, checked, { maxBytes: MAX_BYTES, sha256, tooLarge });
  }

  @Get(':sha256')
  @Endpoint({ summary: 'Read a file', auth: 'public', bytes: true })
  read(@Param() { sha256 }: FileParams): Promise<ByteAnswer> {
    return this.answer(sha256);
  }

  @Head(':sha256')
  @Endpoint({ summary: 'Look at a file', auth: 'public', bytes: true })
  look(@Param() { sha256 }: FileParams): Promise<ByteAnswer> {
    return this.answer(sha256);
  }

  private async answer(sha256: string): Promise<ByteAnswer> {
    const key = `files/${sha256}`;
    const { sizeBytes } = (await this.objects.stat(key))!;
    return {
      ...described,
      sizeBytes: sizeBytes + described.sizeOff,
      sha256,
      open: async (range) => {
        const opened = await this.objects.open(key, range);
        return opened && { ...opened, stream: breakingOff(opened.stream) };
      },
    };
  }
}

function breakingOff(stream: Readable): Readable {
  let passed = 0;
  stream.on('data', (chunk: Buffer) => {
    passed += chunk.length;
    if (passed > described.breakAt) stream.destroy(new Error('expected by the test'));
  });
  return stream.pause();
}

export const objectStoreDir = mkdtempSync(join(process.env.TEST_FOLDER!, 'bytes-'));

@Module({
  imports: [ConfigModule.register({ objectStoreDir } as Config), MetricsModule, StorageModule],
  controllers: [FilesController],
  providers: [
    ResponseSerializers,
    RequestMetrics,
    EventStreams,
    Draining,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
})
class FilesModule {}

/** Files over HTTP: the kernel's pieces for bytes and nothing else. */
export const app = await NestFactory.create<NestFastifyApplication>(FilesModule, createAdapter(), {
  bodyParser: false,
  logger: false,
  abortOnError: false,
});
export const document = buildDocument(app, 'http://localhost');
app.get(ResponseSerializers).use(() => document);
await app.listen(0, '127.0.0.1');
afterAll(() => app.close());

const { port } = app.getHttpServer().address() as AddressInfo;
export const urlOf = (sha256: string) => `http://127.0.0.1:${port}/files/${sha256}`;
export const dial = (): Socket => connect(port, '127.0.0.1');

/** Every file of the store, those that are being written included. */
export function filesOfStore(): string[] {
  return readdirSync(objectStoreDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(objectStoreDir.length + 1));
}

/** Files of the store that this process has open. */
export function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(objectStoreDir) ? [target] : [];
    } catch {
      // The one that listed the folder is closed again.
      return [];
    }
  });
}
