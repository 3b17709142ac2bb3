import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators } from '@nestjs/common';
import { ConvertedText, field, type FieldOptions, isText } from './field.ts';
import { codePoints, normalizeName } from './text.ts';

/** Stands where something was cut off, or where a text that has to be there was empty. */
const MARK = '…';

/** A text of at most `max` code points; a longer one ends with the mark. Costs what is kept, not what came. */
export function cutText(text: string, max: number): string {
  // So many units cannot be fewer code points than `max`.
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
 * Text of a call that must not be refused for how its text looks: cut to `max` code points with a mark. An empty one is the
 * mark alone; where it may be left out, it counts as left out.
 */
export function CutText(options: CutOptions): PropertyDecorator {
  const { max, ...rest } = options;
  const cut = (text: string) => (text === '' ? (rest.optional ? undefined : MARK) : cutText(text, max));
  return applyDecorators(
    ConvertedText(cut),
    field({ type: 'string' }, [STRING], { ...rest, description: described(options) }),
  );
}

/** What people call a thing, as `Name`, in such a call: cut, and one that is blank counts as left out. */
export function CutName(options: CutOptions & { readonly optional: true }): PropertyDecorator {
  const { max, ...rest } = options;
  return applyDecorators(
    ConvertedText((text) => cutName(text, max)),
    field({ type: 'string' }, [STRING], { ...rest, description: described(options) }),
  );
}

/** Cut before too, so that what is left is short enough to be normalised. */
function cutName(name: string, max: number): string | undefined {
  return cutText(normalizeName(cutText(name, 4 * max), max), max) || undefined;
}

const STRING = { issue: EdgeIssues.wrongType, message: 'must be a string', passes: isText };
