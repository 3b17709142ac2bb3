import { applyDecorators } from '@nestjs/common';
import { EdgeIssues } from '../../kernel/errors/index.ts';
import { ConvertedText, Formatted, isSlug, isUuid } from '../../kernel/validation/index.ts';

/** A reference to a connector: its UUID or its key. No key looks like a UUID. */
export function IntegrationRef(): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => (isUuid(text) ? text.toLowerCase() : text)),
    Formatted({
      test: (text) => isUuid(text) || isSlug(text),
      issue: EdgeIssues.invalidSlug,
      what: 'the id of a connector, or its key',
      max: 100,
      example: 'mcp-orders',
      description: 'The id of a connector, or its key such as `mcp-orders`',
    }),
  );
}

const PURPOSE = /^[a-z][a-z0-9_]{0,63}$/;

/** Schema and test of what a connector is for. */
export const PURPOSE_ITEMS = {
  schema: { type: 'string', pattern: PURPOSE.source, maxLength: 64 },
  what: 'a lowercase letter, then up to 63 lowercase letters, digits and underscores',
  test: (text: string) => PURPOSE.test(text),
};
