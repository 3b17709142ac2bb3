import { closestMatch } from 'leven';
import { hasFile, type Setting } from './values/index.ts';
import { settings } from './settings.ts';

/** First words of our variables that other programs hardly use. */
const OURS =
  /^(DATABASE|OBJECT_STORE|OWNER_BOOTSTRAP|AGENT_SERVICE|CAPABILITY|CATALOG|RUN|EVENT_STREAMS|DURABILITY|CORS|SHUTDOWN|METRICS|OIDC|EGRESS|INTEGRATION|MCP_OAUTH|WORKSPACE_OAUTH)_/;
const MOST_TYPING_ERRORS = 2;
/** A shorter name, such as HOSTS, may well be another program's. */
const SHORTEST_MISTYPED = 8;

/** Variables that look like ours and are not, each with what to do about it. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; problem: string }[] {
  const known = Object.entries<Setting<unknown>>(settings).flatMap(([name, setting]) =>
    hasFile(setting) ? [name, `${name}_FILE`] : [name],
  );
  return Object.keys(env)
    .filter((name) => env[name]?.trim() && !known.includes(name))
    .flatMap((name) => {
      const meant = closestMatch(name, known, { maxDistance: MOST_TYPING_ERRORS });
      if (meant !== undefined && name.length >= SHORTEST_MISTYPED)
        return { name, problem: `is not a variable of the service; did you mean ${meant}?` };
      return OURS.test(name) ? { name, problem: 'is not a variable of the service; see docs/configuration.md' } : [];
    });
}
