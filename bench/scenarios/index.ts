import type { Scenario } from '../scenario.ts';
import { writesBesideActivity } from './activity.ts';
import { appends } from './appends.ts';
import { beats } from './beats.ts';
import { besideSnapshot, hotProfile, withoutStatistics } from './disturbed.ts';
import { appendToFrame, broadcasts, stalledReader, streamMemory, writesBesideStreams } from './event-streams.ts';
import { filteredLists } from './filtered-lists.ts';
import { claimGrowth, deepPages } from './growth.ts';
import { idleOrganizations } from './idle-organizations.ts';
import { isolation } from './isolation.ts';
import { knowledgeSearch } from './knowledge-search.ts';
import { largestPage } from './largest-page.ts';
import { lifecycleAt128, lifecycleAt32, lifecycleCpu } from './lifecycle.ts';
import { lists, singleRead } from './lists.ts';
import { logs } from './logs.ts';
import { scheduleGrowth } from './schedules.ts';
import { soak } from './soak.ts';
import { startup } from './startup.ts';
import { trees } from './trees.ts';
import { waits } from './waits.ts';
import { wakeups } from './wakeups.ts';

/**
 * In the order in which they are measured: what leaves much behind comes late. In quick mode there are those that have a
 * gate, and of the others those that take a moment.
 */
export const SCENARIOS: readonly { readonly scenario: Scenario; readonly quick: boolean }[] = [
  ...lists.map((each) => ({ scenario: each, quick: true })),
  { scenario: singleRead, quick: true },
  ...deepPages.map((each) => ({ scenario: each, quick: true })),
  { scenario: lifecycleAt32, quick: true },
  { scenario: lifecycleAt128, quick: false },
  { scenario: lifecycleCpu, quick: true },
  { scenario: hotProfile, quick: false },
  { scenario: wakeups, quick: true },
  { scenario: logs, quick: true },
  { scenario: broadcasts, quick: false },
  { scenario: streamMemory, quick: true },
  { scenario: appendToFrame, quick: false },
  { scenario: stalledReader, quick: false },
  { scenario: writesBesideStreams, quick: false },
  { scenario: writesBesideActivity, quick: false },
  { scenario: withoutStatistics, quick: false },
  { scenario: besideSnapshot, quick: false },
  { scenario: startup, quick: false },
  { scenario: soak, quick: false },
  { scenario: beats, quick: false },
  { scenario: waits, quick: false },
  { scenario: appends, quick: true },
  { scenario: scheduleGrowth, quick: false },
  { scenario: isolation, quick: false },
  { scenario: trees, quick: false },
  { scenario: largestPage, quick: true },
  { scenario: filteredLists, quick: true },
  { scenario: knowledgeSearch, quick: false },
  { scenario: claimGrowth, quick: true },
  { scenario: idleOrganizations, quick: false },
];

export const NOT_MEASURED: readonly string[] = ['23 (insights): no scenario asks for figures yet.'];
