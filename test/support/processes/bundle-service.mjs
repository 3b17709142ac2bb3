import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

const ROOT = join(import.meta.dirname, '../../..');
/** Loaded where they are needed, if at all, or by name; and what a bundle would have twice. */
const LEFT_OUT = [
  '@aws-sdk/*',
  '@fastify/static',
  '@modelcontextprotocol/*',
  '@opentelemetry/*',
  'chardet',
  'file-type',
  'htmlparser2',
  'mongodb',
  'pdfjs-dist',
  'pino',
  'postal-mime',
  'reflect-metadata',
  'undici',
  'yauzl',
];
/** Packages that Nest and its adapter name, and this service has not. */
const NOT_INSTALLED = [
  '@fastify/multipart',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
];

/**
 * Puts the built service and its packages together in few files of this folder, so that a start need not find and link 4,000
 * modules: a third of the processor's time of a start. Returns the program.
 */
export async function bundleService(folder) {
  // Where the bundle finds what was left out.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['dist/src/main.js'],
    outdir: join(folder, 'service'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    // Dependencies are injected, and entities known, by the names of their classes.
    keepNames: true,
    logLevel: 'warning',
    external: [...LEFT_OUT, ...NOT_INSTALLED],
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [{ name: 'places', setup: keepPlaces }],
  });
  // It would keep its memory for the next one.
  await stop();
  return join(folder, 'service', 'main.mjs');
}

/** Lets modules of the build name their own place, from which they find the catalogue, the documents and the reader of files. */
function keepPlaces(bundling) {
  bundling.onLoad({ filter: /\/dist\/src\/(config|kernel)\/.*\.js$/ }, ({ path }) => {
    const places = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href };
    const contents = readFileSync(path, 'utf8').replace(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, place) =>
      JSON.stringify(places[place]),
    );
    return { contents, loader: 'js' };
  });
}
