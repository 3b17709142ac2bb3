/** The environment of a git that knows the settings of nobody's machine. */
export const SETTINGS_OF_NOBODY = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@acme.example',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@acme.example',
  GIT_TERMINAL_PROMPT: '0',
};

/** As an agent's git is set up, so that its capability stands in no argument, address or file. */
export function gitSettings(
  base: string,
  capability: string,
  others: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const settings = {
    [`http.${base}/internal/git/.extraHeader`]: `Authorization: Bearer ${capability}`,
    ...others,
  };
  const entries = Object.entries(settings).flatMap(([key, value], each) => [
    [`GIT_CONFIG_KEY_${each}`, key],
    [`GIT_CONFIG_VALUE_${each}`, value],
  ]);
  return {
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    GIT_TERMINAL_PROMPT: '0',
  };
}
