import type { ConnectionType, CredentialKind } from '../integration.state.ts';

/** What the release knows of one kind of connector. It ships with its adapter. */
export interface CatalogEntry {
  /** Also the kind of its connectors, and the `kind` of their settings. */
  readonly key: string;
  /** Rises with every change; rows are moved to it in the background. */
  readonly version: number;
  readonly status: 'active' | 'retired';
  readonly name: string;
  readonly description: string;
  readonly connectionType: ConnectionType;
  readonly purposes: readonly string[];
  /** Those that `PUT credential` takes. */
  readonly credentialKinds: readonly CredentialKind[];
  /** Which authorization of owners it has. */
  readonly authorization: 'none' | 'workspace' | 'mcp';
  /** What an authorization by `workspace` asks for. */
  readonly authorizedScopes?: AuthorizedScopes;
  /** Whether no access mode but `read_only` is possible. */
  readonly fixedReadOnly: boolean;
  /** Whether a good credential enables the connector; otherwise verified settings do. */
  readonly enabledByCredential: boolean;
  readonly settings: 'none' | 'optional' | 'required';
  /** Whether settings hold only for the credential that they were verified with. */
  readonly settingsVerified: boolean;
  readonly hasReportingCredential: boolean;
  /** `fixed` tools are those of the adapter, `discovered` ones those that the provider lists. */
  readonly tools: 'fixed' | 'discovered';
  /** Fixed tools whose access or risk rose, with the version in which they last did: a person names them again. */
  readonly raisedTools?: Readonly<Record<string, number>>;
  /** Departments whose built-in profiles are granted at first, beside operator and chat. */
  readonly defaultDepartments: readonly string[];
  /** Whether every organization has one; false for the kind of owners' own servers. */
  readonly inCatalog: boolean;
}

/** Scopes of a suite whose owner chooses services, or those that an entry always wants. */
export interface AuthorizedScopes {
  /** Without these there is no connection. */
  readonly required: readonly string[];
  /** By service: for reading, and beside these where the access mode allows writes. None where nothing is chosen. */
  readonly services: Readonly<Record<string, { readonly read: readonly string[]; readonly write: readonly string[] }>>;
}
