/**
 * Parts of the service that instructions may speak of, each by the route by which agents enter it, and whether this build
 * has it (`catalog.test.ts` holds both against the document). Agents are told of those only.
 */
export const AGENT_PARTS = {
  actions: { built: true, route: 'POST /internal/agent/organizations/{organizationId}/actions/{id}/reconcile' },
  gateway: {
    built: true,
    route: 'POST /internal/agent/organizations/{organizationId}/integrations/{integrationKey}/capability',
  },
  git: { built: true, route: 'GET /internal/git/integrations/{integrationId}/{owner}/{repository}/info/refs' },
  inbox: { built: true, route: 'POST /internal/agent/organizations/{organizationId}/inbox' },
  insights: { built: true, route: 'POST /internal/agent/organizations/{organizationId}/insights/query' },
  knowledge: { built: true, route: 'POST /internal/agent/organizations/{organizationId}/knowledge' },
  learning: { built: true, route: 'GET /organizations/{organizationId}/learning/{profileKey}' },
} as const;

const IS_BUILT: ReadonlyMap<string, boolean> = new Map(
  Object.entries(AGENT_PARTS).map(([name, { built }]) => [name, built]),
);

/** `<!-- if inbox -->…<!-- else -->…<!-- /if -->`; a marker that is alone on its line takes the line with it. */
const CONDITION = new RegExp(
  [marker('if ([a-z]+)'), '([^]*?)', `(?:${marker('else')}([^]*?))?`, marker('/if')].join(''),
  'gm',
);
const ANY_MARKER = /<!--\s*(?:if|else|\/if)\b[^]*?-->/;

function marker(word: string): string {
  return `(?:^<!-- ${word} -->\\n|<!-- ${word} -->)`;
}

/** Keeps of a text what holds for what is built. Throws where a condition names no part, or is not closed. */
export function ofBuiltParts(text: string, isBuilt = IS_BUILT): string {
  const kept = text.replaceAll(CONDITION, (_whole, ...found: (string | undefined)[]) => {
    const [whole, inside, then, otherwise = ''] = found;
    const part = whole ?? inside!;
    const built = isBuilt.get(part);
    if (ANY_MARKER.test(`${then}${otherwise}`)) throw new Error(`the condition of "${part}" holds another one`);
    if (built === undefined)
      throw new Error(`there is no part "${part}"; it is one of ${[...isBuilt.keys()].join(', ')}`);
    return built ? then! : otherwise;
  });
  const left = ANY_MARKER.exec(kept);
  if (left) throw new Error(`"${left[0]}" belongs to no condition`);
  return kept;
}
