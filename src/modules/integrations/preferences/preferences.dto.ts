import { Integer, OpenObject } from '../../../kernel/validation/index.ts';

export class PreferencesDto {
  @Integer({ min: 1, example: 3 })
  revision!: number;
  @OpenObject({
    example: { order_management: ['mcp-orders', 'mcp-orders-2'] },
    description: 'By purpose the keys of all connectors that were ever usable, the preferred one first',
  })
  order!: Record<string, string[]>;
}
