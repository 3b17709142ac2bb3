import canonicalize from 'canonicalize';
import { canonicalDigest } from '../../kernel/crypto/index.ts';
import type { ActionKind } from './action.state.ts';

/** What a person approves, and nothing else is sent. */
export interface DigestedAction {
  readonly kind: ActionKind;
  readonly connectorKey: string;
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** SHA-256 of the canonical JSON (RFC 8785) of what is to be done where. */
export function argumentsDigest({ kind, connectorKey, toolName, arguments: given }: DigestedAction): string {
  return canonicalDigest({ kind, connectorKey, toolName, arguments: given });
}

/** The canonical JSON of arguments, as it is stored. */
export function canonicalArguments(given: DigestedAction['arguments']): string {
  return canonicalize(given)!;
}
