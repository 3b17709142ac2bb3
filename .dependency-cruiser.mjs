/**
 * The plan of the house. A module leans only on tiers below its own, and only through the other module's `index.ts`;
 * the kernel knows no module. Whoever finds a better cut changes it here and says why.
 */
const TIERS = [
  ['organizations'],
  ['agent-profiles'],
  ['chats', 'integrations'],
  ['tasks'],
  ['human-inbox'],
  ['actions'],
  ['runs'],
  ['schedules', 'durability', 'knowledge', 'webhooks'],
  ['learning', 'insights', 'gateway', 'git-proxy'],
  ['discovery', 'onboarding'],
  ['provisioning'],
];

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

export default {
  forbidden: [
    ...tierRules,
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
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'kernel-knows-no-module',
      severity: 'error',
      from: { path: '^src/(kernel|config)/' },
      to: { path: '^src/modules/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
