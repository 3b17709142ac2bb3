import { describe, expect, it } from '@jest/globals';
import { statementName } from './statement-name.ts';

describe('the name of a statement', () => {
  it.each([
    ['begin', ''],
    ["select set_config('role', 'br_app', true), set_config('app.org', $1, true)", ''],
    ['select set_config($1, m.status, true) from (select membership_status($1) as status offset 0) m', ''],
    ['select t.id from task t where t.id = $1', 'select task'],
    ['select "t0".* from "task" as "t0" where "t0"."id" = $1', 'select task'],
    ['select r.id from run r where r.id = $1 for no key update', 'select run'],
    ['with page as (select c.id from chat c limit $1), n as (select 1) select * from page, n', 'select chat'],
    ['with recursive up (id) as (select id from edge) select * from up', 'select edge'],
    ['select u.id from unnest($1::uuid[]) u(id) join run r using (id)', ''],
    ['update run set status = $1', 'update run'],
    ['insert into "task" ("id") values ($1), ($2)', 'insert into task'],
    ['insert into log (id) values ($1) on conflict (id) do update set id = excluded.id', 'insert into log'],
    [
      `-- locks, then update nothing
       with j as (select id from run for no key update skip locked)
       -- moves
       , moved as (update run r set status = 'x' from j), t as (update task set a = 1)
       delete from run_request q using moved`,
      'update run, update task, delete from run_request',
    ],
  ])('of %j is %j', (text, name) => {
    expect([statementName(text), statementName(text)]).toEqual([name, name]);
  });
});
