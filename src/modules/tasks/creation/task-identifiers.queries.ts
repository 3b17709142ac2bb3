import { sql, type Statement } from '../../../kernel/database/index.ts';

/** Takes numbers of a scope, and with them the lock of its counter. */
export function takeNumbersOf(organizationId: string, scope: string, count: number): Statement<{ last: number }> {
  return sql`
    insert into task_identifier as i (organization_id, scope, last_number)
    values (${organizationId}, ${scope}, ${count})
    on conflict (organization_id, scope) do update set last_number = i.last_number + excluded.last_number
    returning last_number as last`;
}
