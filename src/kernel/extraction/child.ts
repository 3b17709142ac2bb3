import { readSource } from './formats/index.ts';

/**
 * The process that reads one source: a line of JSON with its media type and then its bytes on stdin, the reading as JSON
 * on stdout. Knows nothing else of the service, and is limited by who starts it (`reading-process.ts`).
 */
const pieces: Buffer[] = [];
for await (const piece of process.stdin as AsyncIterable<Buffer>) pieces.push(piece);
const input = Buffer.concat(pieces.splice(0));
const headerEnd = input.indexOf('\n');
const { mediaType } = JSON.parse(input.toString('utf8', 0, headerEnd)) as { readonly mediaType: string };
// Libraries leave rejections and timers behind when bytes are not as they should be; what counts is what the reader says.
process.on('unhandledRejection', () => undefined);
const reading = await readSource(input.subarray(headerEnd + 1), mediaType);
process.stdout.write(JSON.stringify(reading), () => process.exit(0));
