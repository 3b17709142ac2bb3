import { describe, expect, it } from '@jest/globals';
import { sql } from '../../../kernel/database/index.ts';
import { insertActivity } from './activity-entry.queries.ts';

const COLUMNS = `organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label,
  details`;

describe('the statement that writes the activity log', () => {
  it('writes one entry, now and without details unless they are given', () => {
    const { text, values } = insertActivity({
      organizationId: 'o',
      id: 'i',
      actor: { kind: 'agent', id: 'a', name: 'operator' },
      verb: 'task.cancelled',
      subject: { kind: 'task', id: 't', label: 'OPS-1' },
    });
    expect(text).toBe(
      `insert into activity (${COLUMNS}) values ($1, $2, clock_timestamp(), $3, $4, $5, $6, $7,\n    $8, $9, '{}'::jsonb)`,
    );
    expect(values).toEqual(['o', 'i', 'agent', 'a', 'operator', 'task.cancelled', 'task', 't', 'OPS-1']);
  });

  it('writes an entry for each row of a relation', () => {
    const { text, values } = insertActivity(
      {
        organizationId: sql`e.organization_id`,
        id: sql`e.id`,
        at: sql`e.now`,
        actor: { kind: sql`'agent'`, id: sql`e.actor_id`, name: sql`e.actor_name` },
        verb: 'task.cancelled',
        subject: { kind: sql`'task'`, id: sql`e.task_id`, label: sql`e.label` },
        details: sql`e.details`,
      },
      sql`ended e where e.id > ${7}`,
    );
    expect(text).toBe(
      `insert into activity (${COLUMNS}) select e.organization_id, e.id, e.now, 'agent', e.actor_id, e.actor_name, $1, 'task',\n` +
        `    e.task_id, e.label, e.details from ended e where e.id > $2`,
    );
    expect(values).toEqual(['task.cancelled', 7]);
  });
});
