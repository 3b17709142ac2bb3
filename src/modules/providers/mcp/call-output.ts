import type { ToolOutput } from '../../integrations/index.ts';
import { isObject, type JsonObject } from './json-answer.ts';

/** Of a string in an output, in characters. */
const MOST_CHARACTERS = 32 * 1_024;
/** Parts of an answer's content. */
const MOST_PARTS = 1_000;

/**
 * What agents get of an answer: text and structured content. Media and embedded resources are named without their data;
 * what is not known is named by its type alone.
 */
export function outputOf(result: JsonObject, isMismatch: boolean): ToolOutput {
  const cut = new Cut();
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

function partOf(part: unknown, cut: Cut): JsonObject {
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

/** Brings values into bounds, and into what the database can keep. */
class Cut {
  wasNeeded = false;

  text(given: string): string {
    const whole =
      given.isWellFormed() && !given.includes('\0') ? given : given.toWellFormed().replaceAll('\0', '\uFFFD');
    if (whole.length <= MOST_CHARACTERS) return whole;
    this.wasNeeded = true;
    return whole.slice(0, MOST_CHARACTERS).toWellFormed();
  }

  value(given: unknown): unknown {
    if (typeof given === 'string') return this.text(given);
    if (Array.isArray(given)) return given.map((each) => this.value(each));
    if (!isObject(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, each]) => [this.text(key), this.value(each)]));
  }
}
