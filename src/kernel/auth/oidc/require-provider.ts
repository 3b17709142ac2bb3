import type { OidcConfig } from '../../../config/index.ts';
import type { Egress } from '../../egress/index.ts';
import { fetchJsonOf } from './fetch-json.ts';
import { fetchKeySet } from './provider-documents.ts';

/** Rejects with what an operator has to correct if the provider's keys cannot be read. */
export async function requireProvider({ issuer }: OidcConfig, egress: Egress): Promise<void> {
  await fetchKeySet(issuer, fetchJsonOf(issuer, egress));
}
