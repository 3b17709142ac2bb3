/** Calls of one tool that an execution may make in a minute, per process. */
export const CALLS_PER_MINUTE = 60;

export const ARGUMENTS_BYTES = 256 * 1024;

/** Discovered tools that were listed longer ago are listed again before one of them is called. */
export const LISTED_AT_MOST_SECONDS = 5 * 60;

/** How long a request waits for an action that needs nobody's approval. */
export const ACTION_WAIT_MS = 60_000;

/** Tools that are for selection only: their bytes go through the Git proxy. */
export const NOT_CALLED: ReadonlySet<string> = new Set(['git_fetch', 'git_push']);
