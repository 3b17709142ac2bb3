import type { TestApp } from '../test-app.ts';
import { profileOf } from './profiles.ts';
import { type Columns, insertRow } from './rows.ts';

let number = 0;

export interface LessonRow {
  readonly key: string;
  readonly lesson: string;
}

/** A lesson of a profile straight in the table, with the memory that it stands in. */
export async function lessonRow(
  app: TestApp,
  organizationId: string,
  row: Columns = {},
  profile = 'growth',
): Promise<LessonRow> {
  const of = { organization_id: organizationId, agent_profile_id: await profileOf(app, organizationId, profile) };
  await app.db.query(
    `insert into profile_memory (organization_id, agent_profile_id, revision, learned_revision, suggestions)
     values ($1, $2, 1, 1, '[]') on conflict do nothing`,
    [of.organization_id, of.agent_profile_id],
  );
  number += 1;
  const lesson = { key: `lesson-${number}`, lesson: `Lesson ${number} holds.`, ...row };
  await insertRow(app, 'lesson', {
    ...of,
    source_task_ids: [],
    evidence: [],
    human_inbox_item_ids: [],
    created_at: new Date().toISOString(),
    ...lesson,
  });
  return lesson;
}
