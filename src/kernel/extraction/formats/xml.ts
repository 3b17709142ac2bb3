import { Parser } from 'htmlparser2';
import { LIMITS, UnreadableError } from '../text/index.ts';
import type { Archive } from './archive.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Is told of each element by its name without prefix. */
export interface XmlVisitor {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
  /** Whether the rest need not be read. */
  readonly isDone?: boolean;
}

/** Walks through a part of an archive. Refuses document type definitions, whose entities could make much out of little. */
export async function walkXml(archive: Archive, part: string, visitor: XmlVisitor): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > LIMITS.depth)
          throw new UnreadableError('too_complex', `more than ${LIMITS.depth} nested elements in ${part}`);
        visitor.open?.(localName(name), attributes);
      },
      onclosetag(name) {
        depth -= 1;
        visitor.close?.(localName(name));
      },
      ontext: (text) => visitor.text?.(text),
      onprocessinginstruction(name) {
        if (name.toLowerCase().startsWith('!doctype'))
          throw new UnreadableError('damaged', `a document type definition in ${part}`);
      },
    },
    { xmlMode: true },
  );
  let decoder: TextDecoder | undefined;
  for await (const piece of archive.read(part)) {
    decoder ??= new TextDecoder(isUtf16(piece) ? (piece[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8');
    parser.write(decoder.decode(piece, { stream: true }));
    if (visitor.isDone) return;
  }
  parser.end();
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The value of an attribute that has this name behind a prefix, as ids of relationships do. */
export function prefixed(attributes: Attributes, name: string): string | undefined {
  const found = Object.keys(attributes).find((each) => each.includes(':') && localName(each) === name);
  return found === undefined ? undefined : attributes[found];
}

/** The value of an attribute with any prefix or none. */
export function valueOf(attributes: Attributes, name: string): string | undefined {
  return attributes[name] ?? prefixed(attributes, name);
}

function isUtf16(piece: Buffer): boolean {
  return (piece[0] === 0xff && piece[1] === 0xfe) || (piece[0] === 0xfe && piece[1] === 0xff);
}
