import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { SettingsSchema } from '../tool-arguments/index.ts';
import { SETTINGS_SCHEMA } from './manifest.ts';

/** Which properties an organization lets its agents read. */
export interface AnalyticsSettings {
  /** Digits, without `properties/`. */
  readonly propertyIds: readonly string[];
  readonly defaultPropertyId: string;
}

const schema = new SettingsSchema<AnalyticsSettings>('web-analytics', SETTINGS_SCHEMA);

/** Settings as they may be asked for; 400 at what they may not name. */
export function checkedSettings(given: unknown): AnalyticsSettings {
  const settings = schema.checked(given);
  if (!settings.propertyIds.includes(settings.defaultPropertyId))
    throw invalid('settings.defaultPropertyId', EdgeIssues.unknownReference, 'must be one of propertyIds');
  return settings;
}
