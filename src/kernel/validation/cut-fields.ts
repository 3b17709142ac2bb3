import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators } from '@nestjs/common';
import { ConvertedText, field, type FieldOptions, isText } from './field.ts';
import { codePoints, normalizeName } from './text.ts';

/** Marks where text was cut off, or replaces a required text that was empty. */
const MARK = '…';

/**
 * Cuts a text to at most `max` code points, the mark included. Its cost depends on what is kept, not on what was sent.
 */
export function cutText(text: string, max: number): string {
  // 2 × `max` UTF-16 units are at least `max` code points.
  const head = text.length > 2 * max ? text.slice(0, 2 * max) : text;
  if (head === text && codePoints(text) <= max) return text;
  return [...head].slice(0, max - 1).join('') + MARK;
}

interface CutOptions extends FieldOptions {
  readonly max: number;
}

const described = ({ max, description }: CutOptions) =>
  `${description ? `${description}. ` : ''}Longer text is cut to ${max} characters`;

/**
 * Text of a call that must not be refused for its length: cut to `max` code points with a mark. An empty text becomes
 * the mark, or counts as absent where the field is optional.
 */
export function CutText(options: CutOptions): PropertyDecorator {
  const { max, ...rest } = options;
  const cut = (text: string) => (text === '' ? (rest.optional ? undefined : MARK) : cutText(text, max));
  return applyDecorators(
    ConvertedText(cut),
    field({ type: 'string' }, [STRING], { ...rest, description: described(options) }),
  );
}

/** A name, like `Name`, of a call that must not be refused for it: cut to `max`; a blank one counts as absent. */
export function CutName(options: CutOptions & { readonly optional: true }): PropertyDecorator {
  const { max, ...rest } = options;
  return applyDecorators(
    ConvertedText((text) => cutName(text, max)),
    field({ type: 'string' }, [STRING], { ...rest, description: described(options) }),
  );
}

/** Cuts before normalising too, because normalising a long text is slow. */
function cutName(name: string, max: number): string | undefined {
  return cutText(normalizeName(cutText(name, 4 * max), max), max) || undefined;
}

const STRING = { issue: EdgeIssues.wrongType, message: 'must be a string', passes: isText };
