import { defineKind, type KindSchema } from '../../../kernel/http/index.ts';
import { CONNECTOR_SETTINGS } from '../../integrations/index.ts';
import { StrictSchema } from './strict-schema.ts';

/** What the settings of one kind of connector may be: shown in the document, and held to every word. */
export class SettingsSchema<Settings> {
  private readonly schema: StrictSchema;

  constructor(kind: string, schema: KindSchema) {
    defineKind(CONNECTOR_SETTINGS, kind, schema);
    this.schema = new StrictSchema(schema);
  }

  /** A copy with its defaults; 400 at the first part that cannot be right. */
  checked(given: unknown): Settings {
    return this.schema.checked<Settings>(given, 'settings');
  }
}
