import { Flag, NestedList, Text } from '../../../kernel/validation/index.ts';

export class PropertyOptionDto {
  @Text({ max: 20, example: '213025502', description: 'As settings name it' })
  propertyId!: string;
  @Text({ max: 500, example: 'Shop' })
  displayName!: string;
  @Text({ max: 20, example: '54516992' })
  accountId!: string;
  @Text({ max: 500, example: 'Acme Ltd' })
  accountName!: string;
  @Text({
    max: 100,
    example: 'PROPERTY_TYPE_ORDINARY',
    description: '`PROPERTY_TYPE_ORDINARY`, `PROPERTY_TYPE_SUBPROPERTY` or `PROPERTY_TYPE_ROLLUP`',
  })
  propertyType!: string;
}

export class PropertyOptionsDto {
  @NestedList(() => PropertyOptionDto, { description: 'At most 500' })
  items!: PropertyOptionDto[];
  @Flag({ example: false, description: 'Whether there are more than these; settings may name them all the same' })
  truncated!: boolean;
}
