import { Metrics } from '../../src/kernel/metrics/index.ts';
import type { TestApp } from './test-app.ts';

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/i;
const KINDS = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);

interface Family {
  readonly help: string;
  readonly kind: string;
}

/** One scrape, read by the rules of Prometheus' text format; throws at a line that breaks one. */
export class Scrape {
  readonly families = new Map<string, Family>();
  /** By name and labels in the order of their names, as `name{a="x",b="y"}`. */
  readonly series = new Map<string, number>();

  constructor(readonly text: string) {
    if (!text.endsWith('\n')) throw new Error('The last line does not end.');
    let help: [string, string] | undefined;
    let current = '';
    for (const line of text.split('\n').filter(Boolean)) {
      const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
      if (word === 'HELP') help = [name, rest];
      else if (word === 'TYPE') {
        if (this.families.has(name) || help?.[0] !== name || !KINDS.has(rest) || !NAME.test(name))
          throw new Error(`HELP and TYPE stand once, in this order, before their series: ${line}`);
        this.families.set(name, { help: help[1], kind: rest });
        current = name;
      } else this.take(line, current);
    }
  }

  /** The value of a series; undefined if it is not there. `at` is its name without the prefix, and its labels. */
  of(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.series.get(keyOf(`business_runner_${name}`, Object.entries(labels)));
  }

  private take(line: string, family: string): void {
    const [, name, labels = '', value = ''] = /^([^{\s]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const suffixes = this.families.get(family)?.kind === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!suffixes.some((suffix) => name === family + suffix)) throw new Error(`A series outside its family: ${line}`);
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/g)];
    if (pairs.map(([all]) => all).join('') !== labels || !VALUE.test(value)) throw new Error(`Not readable: ${line}`);
    const key = keyOf(
      name!,
      pairs.map(([, label, text]) => [label!, text!] as const),
    );
    if (this.series.has(key)) throw new Error(`Twice: ${line}`);
    this.series.set(key, Number(value.replace('Inf', 'Infinity')));
  }
}

function keyOf(name: string, labels: readonly (readonly [string, string])[]): string {
  const sorted = labels.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([label, value]) => `${label}="${value}"`);
  return sorted.length === 0 ? name : `${name}{${sorted.join(',')}}`;
}

/** Scrapes the application; what it looked up for the scrape before counts as too old, without waiting for that. */
export async function scrape(app: TestApp): Promise<Scrape> {
  for (const lookUp of app.app.get(Metrics)['lookUps']) lookUp['foundAtMs'] = Number.NEGATIVE_INFINITY;
  const { status, text } = await app.scraper.get('/metrics');
  if (status !== 200) throw new Error(`No scrape: ${text}`);
  return new Scrape(text);
}
