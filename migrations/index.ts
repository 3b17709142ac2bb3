import { Migration20261127230000Foundation } from './Migration20261127230000Foundation.ts';

/** Every migration in order. Forward-only: one that has landed is never edited. */
export const migrationsList = [Migration20261127230000Foundation];
