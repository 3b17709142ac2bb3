import type { Scenario } from '../scenario.ts';
import { lifecycleAt128, lifecycleAt32, lifecycleCpu } from './lifecycle.ts';
import { lists, singleRead } from './lists.ts';

/** In the order in which they are measured: what leaves much behind comes late. */
export const SCENARIOS: readonly (Scenario & { readonly inQuick: boolean })[] = [
  ...lists.map((each) => ({ ...each, inQuick: true })),
  { ...singleRead, inQuick: true },
  { ...lifecycleAt32, inQuick: true },
  { ...lifecycleAt128, inQuick: false },
  { ...lifecycleCpu, inQuick: true },
];

export const NOT_MEASURED: readonly string[] = [
  '24 (schedule tick): the schedules module is not part of this build.',
  '17 to 23 (event streams, chats, insights): those modules are not part of this build.',
];
