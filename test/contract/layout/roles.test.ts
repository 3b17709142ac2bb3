import { describe, expect, it } from '@jest/globals';
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
  it('are called by their noun, their audience and their role', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(paths((source) => !nameOf(source))).toEqual([]);
  });

  it('stand at the root of the module or one folder below, at most 25 together', () => {
    expect(paths(({ path }) => path.split('/').length > 3)).toEqual([]);
    const places = Map.groupBy(sources, ({ place }) => place);
    const full = [...places].filter(([, files]) => files.length > 25).map(([place]) => place);
    expect(full).toEqual([]);
  });

  it.each<[string, RegExp, readonly Role[]]>([
    ['modules', /^@Module\(/m, ['module']],
    ['controllers', /^@Controller\(/m, ['controller']],
    ['injectable classes', /^@Injectable\(/m, ['service', 'jobs', 'port', 'adapter']],
    ['jobs', /^ {2}@Job\(/m, ['jobs']],
    ['entities', /\bdefineEntity\(/, ['entity']],
    ['bodies', /^export class \w+(Dto|Query|Params)\b/m, ['dto']],
    ['errors', /\bdefine(?:Errors|Issues)\(/, ['errors']],
  ])('keep %s where the role says so, and nowhere else', (_, sign, roles) => {
    const signed = paths(({ text }) => sign.test(text));
    expect(signed.length).toBeGreaterThan(0);
    expect(
      sources.filter(({ path, ...source }) => signed.includes(path) && !isOf({ path, ...source }, ...roles)),
    ).toEqual([]);
    const alone = roles.length === 1 ? paths((source) => isOf(source, ...roles) && !sign.test(source.text)) : [];
    expect(alone).toEqual([]);
  });

  it('keep SQL where the role says so', () => {
    // The conditions of a start, which statements, checks and explanations share.
    const conditions = 'runs/run-start.policy.ts';
    const tagged = paths(({ text }) => /\bsql(?:<\w+>)?`|[{,] statement\b[^}]*\} from/.test(text));
    expect(tagged.length).toBeGreaterThan(40);
    expect(tagged.filter((path) => !path.endsWith('.queries.ts'))).toEqual([conditions]);
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

  it('tell the audience of a controller: owners, executions or the runtimes’ service token', () => {
    const audiences = { undefined: /^(owner|\[.*'owner')/, agent: /^execution/, runtime: /^service/ };
    const wrong = sources
      .filter((source) => isOf(source, 'controller'))
      .flatMap((source) => {
        const allowed = audiences[String(nameOf(source)!.groups!['audience']) as keyof typeof audiences];
        return authsOf(source)
          .filter((auth) => !allowed.test(auth))
          .map((auth) => `${source.path}: ${auth}`);
      });
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

/** What the endpoints of a controller say of who may call them. */
function authsOf({ text }: Source): string[] {
  return [...text.matchAll(/^ {4}auth: (?:'(\w+)'|(\[[^\]]*\]))/gm)].map(([, one, several]) => one ?? several!);
}
