import { Migration20261127230000Foundation } from './Migration20261127230000Foundation.ts';
import { Migration20261128020000WorkEngine } from './Migration20261128020000WorkEngine.ts';

/** Every migration in order. Forward-only: one that has landed is never edited. */
export const migrationsList = [Migration20261127230000Foundation, Migration20261128020000WorkEngine];
