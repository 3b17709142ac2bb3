import type { Statement } from './statement.ts';

/**
 * SQL as a template: `` sql<Row>`select … from task t where t.id = ${id}` `` is a statement whose rows are `Row`s.
 *
 * - A `${…}` is a value and becomes a placeholder, whatever it is: text, number, list, object, bytes, null. `undefined`
 *   is refused, because the database has no such value.
 * - Only what this tag made is SQL: a statement inside another is inlined with its own values, and placeholders are
 *   numbered over the whole. So conditions and select lists carry their values with them.
 * - `sql.value(x)` used twice is one placeholder, and so is each value of `sql.shared(fragment)`. Use them where
 *   PostgreSQL should know that both are equal (it derives joins from that) or can infer the type in one position only.
 * - `sql.raw(text)` is SQL from a string of the code, never of a caller. `sql.join(parts, ' and ')` joins parts.
 *
 * Builds a text once for each combination of fragments and then reuses the string. (Measured: 0.04 µs with three
 * values, 0.15 µs with two fragments, 0.35 µs with a shared value; 0.13 µs for a plain template string with two strings
 * in it, before its name is found.)
 */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...given: readonly Value[]): Sql<Row> {
  let template = templates.get(strings);
  if (!template) {
    template = new Template(strings);
    templates.set(strings, template);
  }
  return template.filledWith(given) as Sql<Row>;
}

type Value = string | number | bigint | boolean | object | null;

/**
 * A statement, or a part of one. (Classes here declare their fields without parameter properties, because the embedded
 * PostgreSQL loads them unbuilt.)
 */
export class Sql<Row = unknown> implements Statement<Row> {
  declare readonly row?: Row;
  readonly form: Form;
  /** One value for each hole of the form. */
  readonly held: readonly unknown[];
  /** Whether some values are `Shared`. */
  readonly isSharing: boolean;
  private numbered: Statement | undefined;

  constructor(form: Form, held: readonly unknown[], isSharing: boolean) {
    this.form = form;
    this.held = held;
    this.isSharing = isSharing;
  }

  get text(): string {
    return this.isSharing ? (this.numbered ??= numbered(this.form, this.held)).text : this.form.text;
  }

  get values(): readonly unknown[] {
    return this.isSharing ? (this.numbered ??= numbered(this.form, this.held)).values : this.held;
  }

  /** For texts that are built as strings, which cannot carry values. */
  toString(): string {
    if (this.held.length > 0)
      throw new TypeError(`SQL with values was used in a string; use the sql tag: ${this.text}`);
    return this.text;
  }
}

sql.value = (value: Value): Sql => new Sql(HOLE, [new Shared(defined(value, ['']))], true);

sql.shared = ({ form, held }: Sql): Sql => {
  if (held.length === 0) return new Sql(form, held, false);
  const values = held.map((each) => (each instanceof Shared ? each : new Shared(each)));
  return new Sql(form, values, true);
};

sql.raw = (text: string): Sql => {
  let form = raws.get(text);
  if (!form) {
    form = new Form([text]);
    raws.set(text, form);
  }
  return new Sql(form, NO_VALUES, false);
};

sql.join = (parts: readonly Sql[], separator: string): Sql => {
  let template = joins.get(separator);
  if (!template) {
    template = new Template([], separator);
    joins.set(separator, template);
  }
  return template.filledWith(parts);
};

/** A value that keeps its placeholder wherever it is used. */
class Shared {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** A text with holes for values; one object per text, so that templates can use it as a key. */
class Form {
  readonly pieces: readonly string[];
  /** The text with a separate placeholder for every hole. */
  readonly text: string;
  /** Texts by the placeholders of the holes, where values are shared. */
  private readonly texts = new Map<string, string>();

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
    this.text = pieces.reduce((text, piece, index) => `${text}$${index}${piece}`);
  }

  withPlaceholders(numbers: readonly number[]): string {
    const key = numbers.join();
    let text = this.texts.get(key);
    if (text === undefined) {
      text = this.pieces.reduce((before, piece, index) => `${before}$${numbers[index - 1]}${piece}`);
      this.texts.set(key, text);
    }
    return text;
  }
}

/** The strings of a template, or a separator between any number of parts, with the forms that were built from it. */
class Template {
  private readonly root = new Branch();
  private readonly strings: readonly string[];
  private readonly separator: string;
  private readonly plain: Form;

  constructor(strings: readonly string[], separator = '') {
    this.strings = strings;
    this.separator = separator;
    this.plain = new Form(strings.length > 0 ? [...strings] : ['']);
  }

  filledWith(given: readonly Value[]): Sql {
    let isPlain = true;
    for (const each of given) {
      if (each instanceof Sql) isPlain = false;
      else defined(each, this.strings);
    }
    if (isPlain) return new Sql(this.plain, given, false);
    const held: unknown[] = [];
    let isSharing = false;
    let branch = this.root;
    for (const each of given) {
      if (each instanceof Sql) {
        branch = branch.next(each.form);
        for (const value of each.held) held.push(value);
        isSharing ||= each.isSharing;
      } else {
        branch = branch.next(HOLE);
        held.push(each);
      }
    }
    branch.form ??= this.formOf(given.map((each) => (each instanceof Sql ? each.form : HOLE)));
    return new Sql(branch.form, held, isSharing);
  }

  private formOf(inner: readonly Form[]): Form {
    const { strings, separator } = this;
    const pieces = [strings[0] ?? ''];
    for (const [index, form] of inner.entries()) {
      const [first, ...rest] = form.pieces;
      pieces[pieces.length - 1] += first!;
      pieces.push(...rest);
      pieces[pieces.length - 1] += strings[index + 1] ?? (index + 1 < inner.length ? separator : '');
    }
    return new Form(pieces);
  }
}

/** A tree of forms, keyed by the forms of the given parts in order. */
class Branch {
  form: Form | undefined;
  private readonly branches = new Map<Form, Branch>();

  next(form: Form): Branch {
    let branch = this.branches.get(form);
    if (!branch) {
      branch = new Branch();
      this.branches.set(form, branch);
    }
    return branch;
  }
}

function numbered(form: Form, held: readonly unknown[]): Statement {
  const distinct: unknown[] = [];
  const values: unknown[] = [];
  const numbers: number[] = [];
  for (const each of held) {
    let at = each instanceof Shared ? distinct.indexOf(each) : -1;
    if (at < 0) {
      at = distinct.push(each) - 1;
      values.push(each instanceof Shared ? each.value : each);
    }
    numbers.push(at + 1);
  }
  return { text: form.withPlaceholders(numbers), values };
}

function defined<T>(value: T, strings: readonly string[]): T {
  if (value === undefined)
    throw new TypeError(`A value (use null instead) is undefined in the statement: ${strings.join('…')}`);
  return value;
}

const HOLE = new Form(['', '']);
const NO_VALUES: readonly unknown[] = [];
const templates = new WeakMap<TemplateStringsArray, Template>();
const raws = new Map<string, Form>();
const joins = new Map<string, Template>();
