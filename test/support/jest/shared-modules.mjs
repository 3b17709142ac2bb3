import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { types } from 'node:util';
import { compileFunction, SyntheticModule } from 'node:vm';
import Runtime from 'jest-runtime';

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = join(ROOT, 'node_modules/');
/** Sources that the build has. Tests, and what supports them, are loaded by Jest for each file anew. */
const SOURCE = /^(src|migrations)\/(?!.*\.test\.ts$)(.+)\.ts$/;
const load = createRequire(import.meta.url);
// Decorators need it, also where a test's first import is a part of Nest that leaves it to another one.
load('reflect-metadata');

/**
 * Loads packages and the application, from its build, once in each worker instead of once in each file, which was half of
 * the time of a whole run. So nothing of these can be mocked by name, and their own state stays from file to file.
 *
 * Stands on parts of Jest's runtime that are not public: `test/contract/shared-modules.test.ts` notices when they change.
 */
export default class SharedModules extends Runtime {
  constructor(...rest) {
    super(...rest);
    const { esmLoader, executor } = this;
    esmLoader.getContext = () => undefined;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: (specifier, _function, attributes, phase) =>
          executor.dynamicImport(specifier, filename, undefined, attributes, phase),
      });
    this.shareStaticImports(esmLoader);
    this.shareOtherImports(esmLoader);
  }

  /** Those of modules that are loaded as one graph. */
  shareStaticImports(esmLoader) {
    const resolve = esmLoader.resolveSpecifierForSyncGraph.bind(esmLoader);
    esmLoader.resolveSpecifierForSyncGraph = (from, specifier, context, scratch, registry, ...more) => {
      const path = this.sharedPath(from, specifier);
      if (path === undefined) return resolve(from, specifier, context, scratch, registry, ...more);
      esmLoader.tryCommitSynthetic(path, registry, scratch, () => moduleOf(path));
      return { cacheKey: path, enqueue: null, modulePath: path };
    };
  }

  /** Those by `import()`, and of graphs with a top-level await. */
  shareOtherImports(esmLoader) {
    const resolve = esmLoader.resolveModule.bind(esmLoader);
    esmLoader.resolveModule = async (specifier, from, context) => {
      const path = this.sharedPath(from, specifier);
      if (path === undefined) return resolve(specifier, from, context);
      const registry = this.registries.getActiveEsmRegistry();
      if (!registry.has(path)) registry.set(path, moduleOf(path));
      const module = registry.get(path);
      if (module.status === 'linked') await module.evaluate();
      return module;
    };
  }

  /** Where Node finds what stays loaded; undefined for all else. */
  sharedPath(from, specifier) {
    if (/^(@jest\/|node:|data:)/.test(specifier) || this._resolution.isCoreModule(specifier)) return undefined;
    const path = this._resolution.resolveEsm(from, specifier);
    if (path.startsWith(PACKAGES)) return /\.[cm]?js$/.test(path) ? path : undefined;
    const [, folder, name] = (path.startsWith(`${ROOT}/`) && SOURCE.exec(path.slice(ROOT.length + 1))) || [];
    const built = folder && join(ROOT, 'dist', folder, `${name}.js`);
    return built && existsSync(built) ? built : undefined;
  }
}

/** A module for Jest's graphs of one that Node has loaded. */
function moduleOf(path) {
  const loaded = load(path);
  const exported = types.isModuleNamespaceObject(loaded) ? loaded : { ...loaded, default: loaded };
  const names = Object.keys(exported);
  return new SyntheticModule(
    names,
    function fill() {
      for (const name of names) this.setExport(name, exported[name]);
    },
    { identifier: path },
  );
}
