import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { SettingsSchema } from '../tool-arguments/index.ts';
import { SETTINGS_SCHEMA } from './manifest.ts';

/** Which repositories runs may reach; all that the credential reaches where none are named. */
export interface CodeHostSettings {
  /** `owner/name`, as the host spells them. */
  readonly repositories?: readonly string[];
}

const schema = new SettingsSchema<CodeHostSettings>('code-host', SETTINGS_SCHEMA);

/** Settings as they may be asked for; the host takes names whatever their case, so each once. */
export function checkedSettings(given: unknown): CodeHostSettings {
  const settings = schema.checked(given);
  const seen = new Set<string>();
  for (const [index, name] of (settings.repositories ?? []).entries()) {
    if (seen.has(name.toLowerCase())) throw invalid(`settings.repositories.${index}`, EdgeIssues.duplicateItem);
    seen.add(name.toLowerCase());
  }
  return settings;
}

export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
