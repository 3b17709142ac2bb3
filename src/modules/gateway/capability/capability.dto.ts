import { Integer, Slug, Text, TextList, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';

export class CapabilityParams extends OrganizationParams {
  @Slug({ example: 'mcp-orders' })
  integrationKey!: string;
}

export class RequestCapabilityDto {
  @Integer({ min: 1, example: 1, description: 'The present one, as manifest and heartbeats have it' })
  authorizationEpoch!: number;
}

export class CapabilityDto {
  @Text({ example: 'eyJhbGciOiJFZERTQSJ9…', description: 'Sent as bearer to `/internal/gateway/integrations/…`' })
  integrationGatewayCapability!: string;
  @Uuid()
  integrationId!: string;
  @Timestamp({ description: 'Ask for another one before' })
  expiresAt!: string;
  @TextList({ example: ['list_orders'], description: 'The tools that this execution may call' })
  tools!: string[];
}
