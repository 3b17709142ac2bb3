import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { IntegrationIssues } from '../../integrations/index.ts';
import { SettingsSchema } from '../tool-arguments/index.ts';
import { byNumber } from './ids.ts';
import { MOST_STORES } from './manifest.ts';
import { ID } from './resources.ts';

/** The stores that a connector reaches, in the order of their numbers. */
export interface PaymentsSettings {
  readonly storeIds: readonly string[];
}

/** As owners write them: stores by id, or all that are there at that moment. */
interface GivenSettings {
  readonly storeIds?: readonly string[];
  readonly selectAll?: true;
}

const SCHEMA = new SettingsSchema<GivenSettings>('payments-provider', {
  type: 'object',
  properties: {
    storeIds: { type: 'array', items: ID, minItems: 1, uniqueItems: true },
    selectAll: { const: true },
  },
  additionalProperties: false,
});

/** What owners chose: ids, or undefined for all; 400 at what is no choice. */
export function chosenStores(given: unknown): readonly string[] | undefined {
  const { storeIds, selectAll } = SCHEMA.checked(given);
  if (storeIds === undefined && selectAll === undefined) throw invalid('settings.storeIds', EdgeIssues.required);
  if (storeIds !== undefined && selectAll !== undefined)
    throw invalid('settings.selectAll', EdgeIssues.notOfKind, 'does not go together with storeIds');
  if (storeIds) requireFew(storeIds.length, 'settings.storeIds');
  return storeIds;
}

export function requireFew(count: number, path: string): void {
  if (count > MOST_STORES)
    throw invalid(path, IntegrationIssues.limitExceeded, `holds ${count} stores; a connector reaches ${MOST_STORES}`);
}

/** The settings that are stored: a choice of all is kept as what it was. */
export function settingsOf(ids: readonly string[]): PaymentsSettings {
  return { storeIds: ids.toSorted(byNumber) };
}

export function reachSame(one: PaymentsSettings | null, other: PaymentsSettings): boolean {
  return one !== null && one.storeIds.join() === other.storeIds.join();
}
