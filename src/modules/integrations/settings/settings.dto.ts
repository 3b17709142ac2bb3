import { JsonObject, Nested, OneOf, Text, Uuid } from '../../../kernel/validation/index.ts';

/** Of the whole of a connector's settings. */
const MOST_BYTES = 64 * 1_024;
const EXAMPLE = { kind: 'web-analytics', propertyIds: ['213025502'], defaultPropertyId: '213025502' };
/** The union of what the kinds of connectors take, in the document. */
export const CONNECTOR_SETTINGS = 'ConnectorSettings';

export class PutSettingsDto {
  @JsonObject({
    maxBytes: MOST_BYTES,
    shownAs: CONNECTOR_SETTINGS,
    example: EXAMPLE,
    description: 'By `kind`, which is that of the connector; the provider is asked whether all that they name is there',
  })
  settings!: Record<string, unknown>;
  @JsonObject({
    optional: true,
    maxBytes: MOST_BYTES,
    example: EXAMPLE,
    description: 'The settings as they were read; required where only reporting changes. Others by now are 409',
  })
  expectedSettings?: Record<string, unknown>;
}

export class RestKeyDto {
  @OneOf(['rest_key'])
  kind!: 'rest_key';
  @Uuid({ description: 'The website of the settings' })
  websiteId!: string;
  @Text({ max: 8_192, example: 'b7c2f1aa-5d0e-4a86-93b4-8a1f5ce2a001' })
  identifier!: string;
  @Text({ max: 8_192, example: '7f0d3c5b9e2a4d618c7b' })
  key!: string;
  @OneOf(['website', 'plugin'], { example: 'website' })
  tier!: 'website' | 'plugin';
}

export class PutReportingCredentialDto {
  @Nested(() => RestKeyDto, {
    nullable: true,
    description: 'Null removes it, which tells nobody; it is never shown, and no agent gets it',
  })
  credential!: RestKeyDto | null;
}
