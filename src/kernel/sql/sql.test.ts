import { describe, expect, it } from '@jest/globals';
import { Sql, sql } from './sql.ts';

const shown = ({ text, values }: Sql) => ({ text, values });

describe('a statement of the tag', () => {
  it('has a placeholder for every value', () => {
    expect(shown(sql`select ${1} where a = ${'x'} and b = ${null}`)).toEqual({
      text: 'select $1 where a = $2 and b = $3',
      values: [1, 'x', null],
    });
  });

  it('is its text alone without values', () => {
    expect(shown(sql`select 1`)).toEqual({ text: 'select 1', values: [] });
  });

  it('takes whatever is no SQL of the tag for a value', () => {
    const bytes = Buffer.from('x');
    const looksLikeSql = { text: 'drop table task', values: [1] };
    const values = ["'; drop table task; --", '$1', ['a', 'b'], looksLikeSql, bytes, 0, false, ''];
    const made = sql.join(
      values.map((each) => sql`${each}`),
      ', ',
    );
    expect(made.text).toBe('$1, $2, $3, $4, $5, $6, $7, $8');
    expect(made.values).toEqual(values);
    expect(made.values[4]).toBe(bytes);
  });

  it('refuses undefined, which a database does not know', () => {
    const missing = undefined as unknown as string;
    expect(() => sql`select * from task where id = ${missing}`).toThrow(
      'undefined in the statement: select * from task',
    );
    expect(() => sql`select ${sql`1`}, ${missing}`).toThrow(TypeError);
    expect(() => sql.value(missing)).toThrow(TypeError);
  });
});

describe('a fragment', () => {
  it('brings its values to where it stands', () => {
    const recent = sql`at > ${'2026'} and at < ${'2027'}`;
    const made = sql`select * from a where a.id = ${'i'} and ${recent} limit ${5}`;
    expect(shown(made)).toEqual({
      text: 'select * from a where a.id = $1 and at > $2 and at < $3 limit $4',
      values: ['i', '2026', '2027', 5],
    });
  });

  it('nests at any depth, at the edges and beside others', () => {
    const inner = sql`x = ${1}`;
    const outer = sql`(${inner} or ${inner} or y = ${2})`;
    expect(shown(sql`${outer}${inner}`)).toEqual({ text: '(x = $1 or x = $2 or y = $3)x = $4', values: [1, 1, 2, 1] });
  });

  it('without values is text', () => {
    const columns = sql`a.id, a.name`;
    expect(shown(sql`select ${columns} from a where a.id = ${'i'}`)).toEqual({
      text: 'select a.id, a.name from a where a.id = $1',
      values: ['i'],
    });
    expect(String(columns)).toBe('a.id, a.name');
  });

  it('with values cannot be put into a string', () => {
    const condition = sql`a = ${1}`;
    expect(() => String(condition)).toThrow('was used in a string; use the sql tag: a = $1');
  });
});

describe('a text of the code', () => {
  it('is inlined as it is', () => {
    expect(sql`select ${sql.raw('now()')}`.text).toBe('select now()');
  });

  it('is joined with others', () => {
    const conditions = [sql`a = ${1}`, sql.raw('b is null'), sql`c = ${3}`];
    expect(shown(sql`where ${sql.join(conditions, ' and ')} limit ${9}`)).toEqual({
      text: 'where a = $1 and b is null and c = $2 limit $3',
      values: [1, 3, 9],
    });
    expect(shown(sql.join([], ' and '))).toEqual({ text: '', values: [] });
    expect(shown(sql.join([sql`a = ${1}`], ' and '))).toEqual({ text: 'a = $1', values: [1] });
  });
});

describe('a shared value', () => {
  it('is one placeholder wherever it stands', () => {
    const org = sql.value('acme');
    const mine = sql`r.organization_id = ${org} and r.id = ${'r1'}`;
    expect(
      shown(sql`select ${7} from t where t.organization_id = ${org} and exists (select from r where ${mine})`),
    ).toEqual({
      text: 'select $1 from t where t.organization_id = $2 and exists (select from r where r.organization_id = $2 and r.id = $3)',
      values: [7, 'acme', 'r1'],
    });
  });

  it('is told by itself and not by what it holds', () => {
    const pair = (a: Sql, b: Sql) => sql`select ${a}, ${b}`;
    const [one, other] = [sql.value('x'), sql.value('x')];
    expect(shown(pair(one, other))).toEqual({ text: 'select $1, $2', values: ['x', 'x'] });
    expect(shown(pair(one, one))).toEqual({ text: 'select $1, $1', values: ['x'] });
    expect(shown(pair(other, sql.value('y')))).toEqual({ text: 'select $1, $2', values: ['x', 'y'] });
  });
});

describe('a shared fragment', () => {
  it('keeps its placeholders wherever it stands', () => {
    const org = sql.value('acme');
    const mine = sql.shared(sql`a = ${1} and b = ${org}`);
    expect(shown(sql`${2} ${mine} ${mine} ${org}`)).toEqual({
      text: '$1 a = $2 and b = $3 a = $2 and b = $3 $3',
      values: [2, 1, 'acme'],
    });
    expect(shown(sql.shared(sql`a is null`))).toEqual({ text: 'a is null', values: [] });
  });
});

/** Whether the same string object came, and not only an equal one, cannot be seen; how long it takes can. */
describe('the text', () => {
  const listed = (conditions: readonly Sql[]) => sql`select * from a where ${sql.join(conditions, ' and ')}`;

  it('is put together once for each form of its fragments', () => {
    const make = (id: string, name?: string) =>
      listed([sql`a.id = ${id}`, ...(name === undefined ? [] : [sql`a.name = ${name}`])]);
    expect(make('1').form).toBe(make('2').form);
    expect(make('1', 'x').form).toBe(make('2', 'y').form);
    expect(make('1').form).not.toBe(make('1', 'x').form);
    expect(make('1', 'x').text).toBe('select * from a where a.id = $1 and a.name = $2');
  });

  it('is that of the code where raw texts come again', () => {
    const make = (column: string) => sql`select ${sql.raw(column)} from a where id = ${1}`;
    expect(make('x').form).toBe(make('x').form);
    expect(make('y').text).toBe('select y from a where id = $1');
  });
});
