import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { insertActivity } from './activity-entry.ts';

const ENTRY = {
  organizationId: 'e.organization_id',
  id: 'e.id',
  actor: { kind: `'agent'`, id: 'e.actor_id', name: 'e.actor_name' },
  verb: `'task.cancelled'`,
  subject: { kind: `'task'`, id: 'e.task_id', label: 'e.label' },
};
const COLUMNS =
  'organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details';

describe('the statement that writes the activity log', () => {
  it('writes one entry, now and without details unless they are given', () => {
    expect(insertActivity(ENTRY)).toBe(
      `insert into activity (${COLUMNS}) values (e.organization_id, e.id, clock_timestamp(), 'agent', e.actor_id, e.actor_name, ` +
        `'task.cancelled', 'task', e.task_id, e.label, '{}'::jsonb)`,
    );
  });

  it('writes an entry for each row of a relation', () => {
    expect(insertActivity({ ...ENTRY, at: 'e.now', details: 'e.details' }, 'ended e')).toBe(
      `insert into activity (${COLUMNS}) select e.organization_id, e.id, e.now, 'agent', e.actor_id, e.actor_name, ` +
        `'task.cancelled', 'task', e.task_id, e.label, e.details from ended e`,
    );
  });

  it('stands in one file, and for the counted row of the administrator in the kernel', () => {
    const writers = globSync('src/**/*.ts', { exclude: (path) => path.endsWith('.test.ts') }).filter((path) =>
      /insert\s+into\s+activity\b/i.test(readFileSync(path, 'utf8')),
    );
    expect(writers.sort()).toEqual([
      'src/kernel/database/contexts.ts',
      'src/modules/organizations/activity/activity-entry.ts',
    ]);
  });
});
