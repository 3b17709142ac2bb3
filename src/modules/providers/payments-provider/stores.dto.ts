import { Flag, NestedList, Text } from '../../../kernel/validation/index.ts';

export class ListStoresDto {
  @Text({
    max: 8_192,
    optional: true,
    example: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.sample',
    description: 'Asks with this key, which is not kept; the stored credential when left out',
  })
  apiKey?: string;
}

export class StoreDto {
  @Text({ max: 20, example: '10821', description: 'As settings and tools name it' })
  id!: string;
  @Text({ min: 0, example: 'Acme' })
  name!: string;
  @Text({ min: 0, nullable: true, example: 'acme' })
  slug!: string | null;
  @Text({ min: 0, nullable: true, example: 'acme.lemonsqueezy.com' })
  domain!: string | null;
  @Text({ min: 0, nullable: true, example: 'EUR' })
  currency!: string | null;
}

export class StoresDto {
  @NestedList(() => StoreDto, { max: 200, description: 'At most 200' })
  items!: StoreDto[];
  @Flag({ example: false, description: 'Whether the account has more; name those in the settings by their ids' })
  truncated!: boolean;
}
