import type { ToolOutput } from '../../integrations/index.ts';
import { isObject, type JsonObject, OutputCut } from '../wire/index.ts';

/** Parts of an answer's content. */
const MOST_PARTS = 1_000;

/**
 * What agents get of an answer: text and structured content. Media and embedded resources are named without their data;
 * what is not known is named by its type alone.
 */
export function outputOf(result: JsonObject, isMismatch: boolean): ToolOutput {
  const cut = new OutputCut();
  const given = Array.isArray(result.content) ? result.content : [];
  const content = given.slice(0, MOST_PARTS).map((part) => partOf(part, cut));
  const { structuredContent } = result;
  const output = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent: cut.value(structuredContent) }),
    isError: result.isError === true,
    ...(isMismatch ? { outputMismatch: true } : {}),
  };
  return { output, truncated: cut.wasNeeded || given.length > MOST_PARTS };
}

function partOf(part: unknown, cut: OutputCut): JsonObject {
  if (!isObject(part)) return { type: 'unknown' };
  const texts = (...names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (typeof part[name] === 'string' ? [[name, cut.text(part[name])]] : [])));
  switch (part.type) {
    case 'text':
      return { type: 'text', ...texts('text') };
    case 'image':
    case 'audio':
      return { type: part.type, ...texts('mimeType'), bytes: bytesIn(part.data) };
    case 'resource': {
      const resource = isObject(part.resource) ? part.resource : {};
      const mimeType = typeof resource.mimeType === 'string' ? { mimeType: cut.text(resource.mimeType) } : {};
      const bytes = typeof resource.text === 'string' ? Buffer.byteLength(resource.text) : bytesIn(resource.blob);
      return { type: 'resource', ...mimeType, bytes };
    }
    case 'resource_link':
      return { type: 'resource_link', ...texts('uri', 'name', 'title', 'description', 'mimeType') };
    default:
      return { type: typeof part.type === 'string' ? cut.text(part.type.slice(0, 64)) : 'unknown' };
  }
}

/** Of base64. */
function bytesIn(data: unknown): number {
  return typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0;
}
