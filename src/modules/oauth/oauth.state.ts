/**
 * An authorization on its way. `issued` waits for its callback, `taken` is being exchanged, `confirming` waits for the person
 * who sees what it would connect; the others are over: `void` was replaced by a newer start of the same person.
 */
export const OAUTH_STATE_STATUSES = ['issued', 'taken', 'confirming', 'completed', 'failed', 'void'] as const;
export type OAuthStateStatus = (typeof OAUTH_STATE_STATUSES)[number];

/** The two addresses to which authorization servers send browsers back. */
export const CALLBACKS = ['workspace', 'mcp'] as const;
export type Callback = (typeof CALLBACKS)[number];

export const PROTOCOLS = ['oauth2', 'oauth1'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Whose client it is: the configuration's, the service's own metadata document, or one that was registered. */
export const CLIENT_SOURCES = ['deployment', 'document', 'registered'] as const;
export type ClientSource = (typeof CLIENT_SOURCES)[number];

/** What became of an authorization, as the page and the address of a return say it. */
export type Outcome = 'connected' | 'declined' | 'expired' | 'failed';
