import { SettingsSchema } from '../tool-arguments/index.ts';

/** The website whose conversations are meant. */
export interface SupportSettings {
  readonly websiteId: string;
}

const schema = new SettingsSchema<SupportSettings>('support-inbox', {
  type: 'object',
  required: ['websiteId'],
  additionalProperties: false,
  properties: {
    websiteId: {
      type: 'string',
      maxLength: 36,
      pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
    },
  },
});

/** The settings in their one form: ids are compared in lower case. */
export function checkedSettings(given: unknown): SupportSettings {
  return { websiteId: schema.checked(given).websiteId.toLowerCase() };
}
