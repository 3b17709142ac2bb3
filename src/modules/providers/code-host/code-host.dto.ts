import { Flag, Integer, Nested, NestedList, OneOf, Text } from '../../../kernel/validation/index.ts';
import { OperatingContextDto } from '../../integrations/index.ts';

export const MOST_PAGES = 100;

export class RepositoriesQuery {
  @Integer({ min: 1, max: MOST_PAGES, optional: true, default: 1, example: 1, description: 'Of 100 repositories each' })
  page?: number;
}

export class RepositoryDto {
  @OneOf(['repository'])
  kind!: 'repository';
  @Text({ max: 200, example: 'acme/shop', description: 'As settings and contexts name it' })
  externalId!: string;
  @Text({ max: 100, example: 'shop' })
  name!: string;
  @Text({ max: 300, example: 'https://github.com/acme/shop' })
  url!: string;
  @Text({ max: 300, example: 'main' })
  defaultBranch!: string;
  @Flag({ example: true })
  private!: boolean;
  @Flag({ example: false })
  archived!: boolean;
}

export class RepositoriesDto {
  @Nested(() => OperatingContextDto, { description: 'What the connector is used for' })
  context!: OperatingContextDto;
  @NestedList(() => RepositoryDto, { description: 'At most 100' })
  items!: RepositoryDto[];
  @Integer({ nullable: true, example: 2, description: 'Null behind the last one' })
  nextPage!: number | null;
}
