import 'reflect-metadata';
import { Readable } from 'node:stream';
import { Extraction } from '../../../dist/src/kernel/extraction/index.js';

/** Reads one source that arrives on stdin, as the service would, and says on stdout when its reading has begun. */
const [sizeBytes, mediaType] = process.argv.slice(2);
const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
const bytes = Readable.from(pieces);
bytes.once('end', () => process.stdout.write('sent\n'));
const source = { bytes, sizeBytes: Number(sizeBytes), fileName: 'file', mediaType };
await new Extraction().extract(source, new AbortController().signal);
