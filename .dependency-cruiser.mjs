/**
 * The plan of the house. A module leans only on tiers below its own, and only through the other module's `index.ts`;
 * the kernel knows no module. A better cut changes it here and says why.
 */
const TIERS = [
  ['organizations'],
  ['agent-profiles'],
  ['chats', 'integrations'],
  ['tasks', 'providers', 'oauth'],
  ['inbox'],
  ['actions'],
  ['runs'],
  ['executions', 'webhooks'],
  ['schedules', 'durability', 'knowledge', 'insights', 'gateway'],
  ['git-proxy'],
  ['learning', 'discovery', 'onboarding'],
  ['provisioning'],
];

/** The folders of a module, one a lifecycle. Each leans only on those before it and on the files at the module's root. */
const FOLDERS = {
  organizations: ['activity', 'events', 'members', 'owner-tokens', 'work-dispatch', 'purge', 'icon'],
  'agent-profiles': ['catalogs'],
  chats: ['messages', 'attachments', 'events', 'lost-turns', 'turns', 'census', 'purge'],
  integrations: [
    'catalog',
    'readiness',
    'preferences',
    'changes',
    'credentials',
    'health',
    'tools',
    'grants',
    'registry',
    'context',
    'settings',
    'connecting',
    'runtime',
  ],
  providers: [
    'tool-arguments',
    'wire',
    'fixed-tools',
    'mcp',
    'payments-provider',
    'cloud-account',
    'workspace',
    'web-analytics',
    'document-db',
    'key-value-store',
    'email-delivery',
    'support-inbox',
    'code-host',
  ],
  tasks: ['run-requests', 'graph', 'lifecycle', 'creation', 'dependencies', 'plans'],
  actions: ['proposal', 'decision', 'execution', 'reconciliation', 'waits', 'expiry', 'census'],
  runs: ['leases', 'attempts', 'logs', 'artifacts', 'outcomes', 'claims', 'completion', 'why', 'census', 'retention'],
  schedules: ['cron', 'firing'],
  webhooks: ['endpoints', 'deliveries'],
  oauth: ['pages', 'oauth1', 'oauth2', 'states', 'mcp', 'workspace', 'starts', 'completion', 'refresh'],
  knowledge: ['words'],
  insights: ['definitions', 'sources', 'publication', 'rates', 'collection', 'query', 'receipts', 'retention'],
  'git-proxy': ['protocol', 'verification', 'host', 'access', 'fetch', 'push', 'sending'],
  gateway: ['calls', 'capability', 'tool-calls', 'manifest', 'mcp'],
  executions: ['manifest', 'workers'],
  learning: ['outcome'],
  onboarding: ['sources', 'review', 'shell', 'completion'],
};

/** Folders of pure functions that know nothing of their module, so that its noun may stand on them. */
const GROUND = ['schedules/cron', 'knowledge/words', 'insights/definitions'];

const modulesPath = (names) => `^src/modules/(${names.join('|')})/`;

/** From each tier: nothing of the same tier but the module itself, nothing of a tier above. */
const tierRules = TIERS.flatMap((tier, index) =>
  tier.map((name) => ({
    name: `tier-${index}-${name}`,
    comment: `${name} leans only on tiers below ${index}`,
    severity: 'error',
    from: { path: modulesPath([name]) },
    to: {
      path: modulesPath(
        TIERS.slice(index)
          .flat()
          .filter((other) => other !== name),
      ),
    },
  })),
);

/** Within a module: from each folder none that comes after it. */
const folderRules = Object.entries(FOLDERS).flatMap(([module, folders]) =>
  folders.slice(0, -1).map((folder, index) => ({
    name: `folder-${module}-${folder}`,
    comment: `${module}/${folder} leans only on folders before it`,
    severity: 'error',
    from: { path: `^src/modules/${module}/${folder}/` },
    to: { path: `^src/modules/${module}/(${folders.slice(index + 1).join('|')})/` },
  })),
);

const plannedFolders = Object.entries(FOLDERS).flatMap(([module, folders]) =>
  folders.map((folder) => `^src/modules/${module}/${folder}/[^/]+$`),
);

/**
 * The kernel from the ground up. A folder leans only on those of the rows before its own, types included, and enters them
 * through their `index.ts`. Sub-folders have a place of their own, below the folder that holds them.
 */
const KERNEL = [
  ['clock', 'codegen', 'crypto', 'errors', 'ids', 'principals', 'extraction/text'],
  ['metrics', 'extraction/formats'],
  ['tracing'],
  ['admission', 'logging', 'sql', 'storage', 'validation'],
  ['egress', 'extraction', 'tenancy'],
  ['database'],
  ['bus', 'census', 'jobs', 'http/endpoint'],
  [
    'idempotency',
    'outbox',
    'secrets',
    'statistics',
    'uploads',
    'http/bytes',
    'http/envelope',
    'http/json-rpc',
    'http/pages',
  ],
  ['http/edge'],
  ['http/requests'],
  ['http/sse'],
  ['http/openapi', 'http/docs'],
  ['http', 'auth/oidc'],
  ['auth', 'leases', 'pagination'],
];

const kernelPath = (names) => `^src/kernel/(${names.join('|')})/[^/]+$`;

/** From each folder: nothing of the same row but the folder itself, nothing of a row behind. Its tests may. */
const kernelOrder = KERNEL.flatMap((row, index) =>
  row.map((name) => ({
    name: `kernel-${index}-${name}`,
    comment: `kernel/${name} leans only on rows before ${index}`,
    severity: 'error',
    from: { path: kernelPath([name]), pathNot: '\\.test\\.ts$' },
    to: {
      path: kernelPath(
        KERNEL.slice(index)
          .flat()
          .filter((other) => other !== name),
      ),
    },
  })),
);

/** The ground below the modules: the kernel, the configuration, and the embedded PostgreSQL beside them. */
const kernelRules = [
  ...kernelOrder,
  {
    name: 'kernel-without-place',
    comment: 'every folder of the kernel has a place in its order',
    severity: 'error',
    from: { path: '^src/kernel/', pathNot: kernelPath(KERNEL.flat()) },
    to: {},
  },
  {
    name: 'kernel-knows-no-module',
    comment: 'nor the application around it, nor the embedded PostgreSQL',
    severity: 'error',
    from: { path: '^src/(kernel|config)/' },
    to: { path: ['^src/modules/', '^src/embedded/', '^src/doctor/', '^src/[^/]+\\.ts$'] },
  },
  {
    name: 'kernel-through-the-front-door',
    comment: 'a folder is entered through its index.ts by all others, its own sub-folders among them',
    severity: 'error',
    from: { path: '^(src/.+)/[^/]+$|^src/[^/]+$' },
    to: { path: '^src/(kernel|config|embedded|doctor)/', pathNot: ['^$1/[^/]+$', '/index\\.ts$'] },
  },
  {
    name: 'kernel-from-outside',
    comment: 'modules and the application find all that a folder offers in its own index.ts, not in those below',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/kernel/' },
    to: { path: '^src/kernel/', pathNot: '^src/kernel/[^/]+/index\\.ts$' },
  },
  {
    name: 'config-knows-no-kernel',
    severity: 'error',
    from: { path: '^src/config/' },
    to: { path: '^src/kernel/' },
  },
  {
    name: 'embedded-leans-on-little',
    comment: 'scripts run it without a build, so nothing with decorators',
    severity: 'error',
    from: { path: '^src/embedded/' },
    to: { path: '^src/', pathNot: '^src/(embedded|config|kernel/(crypto|sql))/' },
  },
];

export default {
  forbidden: [
    ...tierRules,
    ...folderRules,
    {
      name: 'folder-without-place',
      comment: 'every folder of a module has a place in the plan, and none has folders of its own',
      severity: 'error',
      from: { path: '^src/modules/[^/]+/[^/]+/', pathNot: plannedFolders },
      to: {},
    },
    {
      name: 'nouns-know-no-folder',
      comment: "a module's entity, states, errors, bodies and queries are what its folders stand on",
      severity: 'error',
      from: { path: '^src/modules/[^/]+/[^/]+\\.(entity|state|errors|policy|dto|queries)\\.ts$' },
      to: {
        path: '^src/modules/[^/]+/[^/]+/',
        pathNot: GROUND.map((folder) => `^src/modules/${folder}/`),
      },
    },
    {
      name: 'folders-know-no-route',
      comment: "a folder stands on the noun of its module, not on the module's controllers, wiring or front door",
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/[^/]+/' },
      to: { path: '^src/modules/$1/([^/]+\\.(controller|module)|index)\\.ts$' },
    },
    {
      name: 'module-without-tier',
      comment: 'every module has a place in the plan',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: modulesPath(TIERS.flat()) },
      to: {},
    },
    {
      name: 'through-the-front-door',
      comment: 'another module is entered through its index.ts',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'] },
    },
    {
      name: 'modules-from-outside',
      comment: 'the application takes modules through their index.ts too',
      severity: 'error',
      from: { path: '^src/([^/]+|doctor/[^/]+)\\.ts$' },
      to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    ...kernelRules,
    {
      name: 'fields-are-declared-in-the-kernel',
      comment: 'requests are read by the table of kernel/validation, which does not know what other decorators say',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/kernel/validation/', '^src/modules/agent-profiles/catalogs/catalog-folder\\.ts$'],
      },
      to: { path: 'node_modules/(class-validator|class-transformer)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-test-code-in-the-service',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^test/', 'node_modules/(@jest|jest|@nestjs/testing)/'] },
    },
    {
      name: 'examples-know-the-api-only',
      comment: 'an example shows what anybody can do who has the address and a token',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: ['^(src|migrations|scripts|test)/'] },
    },
    {
      name: 'nobody-leans-on-examples-or-the-fault-run',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^(examples|faults)/' },
    },
    {
      name: 'nobody-leans-on-the-bench',
      severity: 'error',
      from: { path: '^(src|migrations|examples|test)/' },
      to: { path: '^bench/' },
    },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
