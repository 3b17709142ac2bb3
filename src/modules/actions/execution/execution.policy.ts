/** Actions that are underway at once in this process, and of one organization. */
export const UNDERWAY = { inProcess: 8, ofOrganization: 4 } as const;

export const PREPARE_MS = 50_000;
export const SEND_MS = 60_000;

/**
 * From the release until sending begins, by the process's clock: what was checked in the release is as old as that. A process
 * that stood still longer sends nothing.
 */
export const BEGIN_SENDING_MS = 5_000;

/** Lapses of an unsent action that give it back; the one after them ends it. */
export const LAPSES_GIVEN_BACK = 3;

/** What is approved expires when no executor takes it for so long. */
export const UNTAKEN_HOURS = 24;
