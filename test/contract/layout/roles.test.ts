import { describe, expect, it } from '@jest/globals';
import { endpointOf, schemesOf } from '../../../src/kernel/http/endpoint/index.ts';
import { type Source, sourcesOfModules } from './sources.ts';

const ROLES = [
  'module',
  'controller',
  'service',
  'jobs',
  'queries',
  'entity',
  'dto',
  'state',
  'policy',
  'errors',
  'metrics',
  'port',
  'adapter',
] as const;
type Role = (typeof ROLES)[number];

/** Who calls a controller or a service: owners unless the name says otherwise. */
const AUDIENCES = ['agent', 'runtime'] as const;

const sources = sourcesOfModules();
const nameOf = ({ name }: Source) => NAME.exec(name);
const NAME = new RegExp(
  `^(?<noun>[a-z0-9]+(?:-[a-z0-9]+)*)(?:\\.(?<audience>${AUDIENCES.join('|')}))?(?:\\.(?<role>${ROLES.join('|')}))?\\.ts$`,
);

function roleOf(source: Source): Role | undefined {
  return nameOf(source)?.groups?.['role'] as Role | undefined;
}

function isOf(source: Source, ...roles: readonly Role[]): boolean {
  const role = roleOf(source);
  return role !== undefined && roles.includes(role);
}

/** Sources for which something holds, by their paths. */
function paths(holds: (source: Source) => boolean): string[] {
  return sources.filter(holds).map(({ path }) => path);
}

const classesOf = ({ text }: Source) =>
  [...text.matchAll(/^export (?:abstract )?class (\w+)/gm)].map(([, name]) => name!);
const pascal = (text: string) => text.replaceAll(/(?:^|[-.])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

describe('the files of a module', () => {
  it('are called noun.role.ts, with the audience before the role where it is not owners', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(paths((source) => !nameOf(source))).toEqual([]);
  });

  it('stand at the root of the module or one folder below, which FOLDERS in .dependency-cruiser.mjs lists', () => {
    expect(paths(({ path }) => path.split('/').length > 3)).toEqual([]);
  });

  it.each<[string, RegExp, readonly Role[]]>([
    ['modules', /^@Module\(/m, ['module']],
    ['controllers', /^@Controller\(/m, ['controller']],
    ['injectable classes', /^@Injectable\(/m, ['service', 'jobs', 'port', 'adapter']],
    ['jobs', /^ {2}@(?:Job|Cron|Interval|Timeout)\(/m, ['jobs']],
    ['entities', /\bdefineEntity\(/, ['entity']],
    ['bodies', /^export class \w+(Dto|Query|Params)\b/m, ['dto']],
    ['errors', /\bdefine(?:Errors|Issues)\(/, ['errors']],
    ['metrics', /\bdefineMetrics\(/, ['metrics']],
  ])('keep %s in a file of that role: move or rename what is listed', (_, sign, roles) => {
    expect(paths(({ text }) => sign.test(text)).length).toBeGreaterThan(0);
    expect(paths((source) => sign.test(source.text) && !isOf(source, ...roles))).toEqual([]);
    const alone = roles.length === 1 ? paths((source) => isOf(source, ...roles) && !sign.test(source.text)) : [];
    expect(alone).toEqual([]);
  });

  it('keep SQL in *.queries.ts: move the statement there, and call it', () => {
    const tagged = paths(({ text }) => /\bsql(?:<\w+>)?`|[{,] statement\b[^}]*\} from/.test(text));
    expect(tagged.length).toBeGreaterThan(40);
    expect(tagged.filter((path) => !path.endsWith('.queries.ts'))).toEqual([]);
  });

  it('name the class of a service, of jobs and of a module after the file', () => {
    const wanted = (source: Source) => pascal(source.name.replace(/\.ts$/, ''));
    const wrong = sources.filter((source) => isOf(source, 'service', 'jobs', 'module'));
    expect(wrong.length).toBeGreaterThan(60);
    expect(wrong.filter((source) => !classesOf(source).includes(wanted(source))).map(({ path }) => path)).toEqual([]);
  });

  it('name one class of a port or an adapter after the file', () => {
    const ofRole = sources.filter((source) => isOf(source, 'port', 'adapter'));
    expect(ofRole.length).toBeGreaterThan(15);
    const wrong = ofRole.filter((source) => !classesOf(source).includes(pascal(nameOf(source)!.groups!['noun']!)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('implement ports in adapters only', () => {
    const ports = sources.filter((source) => isOf(source, 'port')).flatMap(interfacesOf);
    const ofKernel = ['ExecutionState'];
    const implementing = new RegExp(
      `^export class \\w+ implements .*\\b(${[...ports, ...ofKernel].join('|')})\\b`,
      'm',
    );
    expect(paths((source) => implementing.test(source.text) && !isOf(source, 'adapter'))).toEqual([]);
    expect(paths((source) => isOf(source, 'adapter') && !isAdapter(source, implementing))).toEqual([]);
  });

  it('name the audience of a controller: none for owners, agent for executions, runtime for the service token', async () => {
    // Browsers come back to public routes for an owner.
    const audiences = { undefined: /\bowner\b|^$/, agent: /\b(execution|gateway)\b/, runtime: /^service$/ };
    const wrong: string[] = [];
    for (const source of sources.filter((each) => isOf(each, 'controller'))) {
      const schemes = await schemesIn(source);
      expect(schemes.length).toBeGreaterThan(0);
      const allowed = audiences[String(nameOf(source)!.groups!['audience']) as keyof typeof audiences];
      wrong.push(...schemes.filter((each) => !allowed.test(each)).map((each) => `${source.path}: ${each}`));
    }
    expect(wrong).toEqual([]);
  });
});

function interfacesOf({ text }: Source): string[] {
  return [...text.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name!);
}

/** One that implements a port's interface, or hands itself to a port when it is made. */
function isAdapter({ text }: Source, implementing: RegExp): boolean {
  return implementing.test(text) || /\.(register|set\w*|use\w*)\(/.test(text);
}

/** Who may call the endpoints of a controller, as their declarations say. */
async function schemesIn({ path }: Source): Promise<string[]> {
  const exported = (await import(`../../../src/modules/${path}`)) as Record<string, { readonly prototype: object }>;
  return Object.values(exported).flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype)
      .map((name) => endpointOf((prototype as Record<string, () => unknown>)[name]!))
      .flatMap((spec) => (spec ? [schemesOf(spec).join(' or ')] : [])),
  );
}
