import { Flag, Integer, Nested, NestedList, Text, TextList } from '../../../kernel/validation/index.ts';
import { MOST_COLLECTIONS, MOST_FIELDS } from './settings.ts';

const MOST_BYTES = 8 * 1_024;

export class DocumentDbConnectionDto {
  @Text({ max: MOST_BYTES, example: 'shop.ab1cd.mongodb.net' })
  clusterHost!: string;
  @Text({ max: MOST_BYTES, example: 'runner' })
  username!: string;
  @Text({ max: MOST_BYTES, example: 'correct horse battery staple' })
  password!: string;
}

export class InspectDocumentDbDto {
  @Nested(() => DocumentDbConnectionDto, {
    optional: true,
    description: 'Asks with this user, which is not kept; the stored credential when left out',
  })
  connection?: DocumentDbConnectionDto;
  @Text({ max: 63, example: 'shop' })
  databaseName!: string;
}

const FIELDS = {
  schema: { type: 'string', maxLength: 255 },
  what: 'a dotted path',
  test: (text: string) => text.length <= 255,
};

export class SampledCollectionDto {
  @Text({ max: 255, example: 'orders' })
  name!: string;
  @TextList({
    max: MOST_FIELDS,
    items: FIELDS,
    example: ['_id', 'customer.id', 'placedAt', 'total'],
    description: 'Dotted paths that the sampled documents have: suggestions, never a wildcard',
  })
  fields!: string[];
  @Integer({ max: 20, example: 20, description: 'How many documents were looked into' })
  sampled!: number;
  @Flag({ example: false, description: 'Whether fields, or documents, were left out' })
  truncated!: boolean;
}

export class DocumentDbResourcesDto {
  @NestedList(() => SampledCollectionDto, { max: MOST_COLLECTIONS })
  collections!: SampledCollectionDto[];
  @Flag({ example: false, description: 'Whether the database has more collections; name those in the settings' })
  truncated!: boolean;
}
