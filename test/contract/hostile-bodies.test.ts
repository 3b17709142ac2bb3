import { afterAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { ModulesContainer } from '@nestjs/core';
import { parseStrictJson } from '../../src/kernel/http/edge/strict-json.ts';
import { ValidationPipe } from '../../src/kernel/validation/index.ts';
import { TestApp } from '../support/test-app.ts';
import { documentOf, type Schema } from './operations.ts';

/**
 * No body of legal size stops the process for long or takes much memory, whichever field it goes to: parsed and validated
 * as a request's body is, for every field of every body, those in lists and in parts among them.
 */
const app = await TestApp.start();
afterAll(() => app.close());
const { components } = await documentOf(app);
const pipe = new ValidationPipe();

/**
 * Of the thread's own time, so that others on the machine and the collector's threads disturb it little; the best of some
 * tries counts. What grows with the square takes seconds.
 */
const MAX_CPU_MS = 250;
const MAX_HEAP_MB = 64;
const TRIES = 5;

const MEGABYTE = 1024 * 1024;
const many = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index));
/** Hundreds of kilobytes as JSON each: enough for what grows with the square, and for half a second where it does not. */
const EMPTY_OBJECTS = { 'empty objects': many(50_000, () => ({})) };
const UNKNOWN_KEYS = { 'unknown keys': Object.fromEntries(many(50_000, (index) => [`k${index}`, 1])) };
const LISTS = {
  ...EMPTY_OBJECTS,
  'objects in a list of a list': [many(50_000, () => ({}))],
  texts: many(50_000, (index) => `t${index}`),
};
const TEXTS = {
  ...EMPTY_OBJECTS,
  'marks on a letter': `a${'\u0301\u0316'.repeat(240_000)}`,
  'pairs of surrogates': '🦊'.repeat(250_000),
  'hyphens and digits': 'a-1'.repeat(330_000),
};

const tried = new Set<string>();
const parsed = JSON.stringify(EMPTY_OBJECTS);

it('parses within the same bounds', () => {
  expect(within(() => parseStrictJson(parsed))).toEqual(FINE);
});

describe.each(bodies())('%s', (name, shape) => {
  it.each(pathsOf({ $ref: `#/components/schemas/${name.replace(/Dto$/, '')}` }))(
    'takes anything at $path',
    ({ around, hostile }) => {
      for (const [kind, value] of Object.entries(hostile)) {
        const body = around(value);
        const measured = within(() => {
          try {
            pipe.transform(body, { type: 'body', metatype: shape });
          } catch {
            // Other tests look at what it is told; here it has to be told soon.
          }
        });
        expect({ kind, ...measured }).toEqual({ kind, ...FINE });
      }
    },
  );
});

const FINE = { cpuMs: 0, heapMb: 0 };

/** By how much the work passes the bounds: nothing where one of its tries keeps them. */
function within(work: () => void): typeof FINE {
  let over = { cpuMs: Infinity, heapMb: Infinity };
  for (let tries = 0; tries < TRIES && over.cpuMs + over.heapMb > 0; tries++) {
    const [cpu, heap] = [process.threadCpuUsage(), process.memoryUsage().heapUsed];
    work();
    const { user, system } = process.threadCpuUsage(cpu);
    const heapMb = (process.memoryUsage().heapUsed - heap) / MEGABYTE;
    over = {
      cpuMs: Math.min(over.cpuMs, Math.max(0, (user + system) / 1_000 - MAX_CPU_MS)),
      heapMb: Math.min(over.heapMb, Math.max(0, heapMb - MAX_HEAP_MB)),
    };
  }
  return over;
}

/** The classes of all bodies, by name. */
function bodies(): [string, Type][] {
  const found = new Map<string, Type>();
  const modules = [...app.app.get(ModulesContainer).values()];
  for (const { metatype, name } of modules.flatMap(({ controllers }) => Array.from(controllers.values()))) {
    for (const method of Object.getOwnPropertyNames((metatype as Type).prototype)) {
      const given = Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype as Type, method) as object | undefined;
      const types = Reflect.getMetadata('design:paramtypes', (metatype as Type).prototype, method) as Type[];
      for (const key of Object.keys(given ?? {})) {
        const [kind, index] = key.split(':').map(Number);
        const shape = kind === RouteParamtypes.BODY ? types[index!] : undefined;
        if (shape && shape !== Object) found.set(shape.name, shape);
        if (shape === Object) throw new Error(`${String(name)}.${method} takes a body without a class`);
      }
    }
  }
  return [...found];
}

interface Place {
  readonly path: string;
  /** What is dear there: the parts of what has parts, the characters of a text. */
  readonly hostile: Readonly<Record<string, unknown>>;
  /** A body that has the value there and nothing else but what leads to it. */
  around(value: unknown): unknown;
}

/** The places of a body, those of a class that several bodies share only at the first of them. */
function pathsOf(schema: Schema): Place[] {
  const here: Place = { path: '', hostile: hostileTo(schema), around: (value) => value };
  const name = schema.$ref?.split('/').at(-1);
  if (name) {
    if (tried.has(name)) return [here];
    tried.add(name);
  }
  const resolved = name ? components.schemas[name]! : schema;
  // Which of several shapes a part has its kind says.
  const kind = resolved.properties?.kind?.enum?.[0];
  const lead = kind === undefined ? {} : { kind };
  const members = Object.entries(resolved.properties ?? {}).flatMap(([key, property]) =>
    pathsOf(property).map(({ path, hostile, around }) => ({
      path: `.${key}${path}`,
      hostile,
      around: (value: unknown) => ({ ...lead, [key]: around(value) }),
    })),
  );
  const items = (resolved.items ? pathsOf(resolved.items) : []).map(({ path, hostile, around }) => ({
    path: `[]${path}`,
    hostile,
    around: (value: unknown) => [around(value)],
  }));
  const variants = [...(resolved.oneOf ?? []), ...(resolved.anyOf ?? []), ...(resolved.allOf ?? [])];
  return [here, ...members, ...items, ...variants.flatMap((variant) => pathsOf(variant).slice(1))];
}

function hostileTo({ type, items, properties, $ref, oneOf, anyOf, allOf }: Schema): Readonly<Record<string, unknown>> {
  if (items) return LISTS;
  if (properties ?? $ref ?? oneOf ?? anyOf ?? allOf) return { ...EMPTY_OBJECTS, ...UNKNOWN_KEYS };
  return type === 'string' ? TEXTS : EMPTY_OBJECTS;
}
