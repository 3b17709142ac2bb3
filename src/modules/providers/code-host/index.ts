/**
 * Asks GitHub which repositories a credential reaches, and gets tokens for Git. Guarantees: a token of an installation is for
 * one repository and one right, kept in memory for less than its hour; settings name only repositories that the credential
 * reaches. Refuses: following renamed repositories and addresses in answers. Git itself is spoken by the Git proxy.
 */
export { CodeHost } from './code-host.adapter.ts';
export { CodeHostController } from './code-host.controller.ts';
export { RepositoryTokensService } from './repository-tokens.service.ts';
