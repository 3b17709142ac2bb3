import { Text, TextList } from '../../kernel/validation/index.ts';

/** What authorization servers are told of the service (RFC 7591), by registration or by its document. */
export function clientMetadata(...redirectUris: readonly string[]) {
  return {
    client_name: 'service-integration',
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
  };
}

export class ClientMetadataDto {
  @Text({
    example: 'https://runner.example.com/oauth/client-metadata.json',
    description: 'The address of this document',
  })
  client_id!: string;
  @Text({ example: 'service-integration' })
  client_name!: string;
  @TextList({ example: ['https://runner.example.com/oauth/mcp/callback'] })
  redirect_uris!: string[];
  @TextList({ example: ['authorization_code', 'refresh_token'] })
  grant_types!: string[];
  @TextList({ example: ['code'] })
  response_types!: string[];
  @Text({ example: 'web' })
  application_type!: string;
  @Text({ example: 'none' })
  token_endpoint_auth_method!: string;
}
