/** Of a request, as Node gives them. */
export type GitHeaders = Readonly<Record<string, string | undefined>>;

/** The version of the protocol that a client asks for, where it is one that Git knows. */
export function versionIn({ 'git-protocol': protocol }: GitHeaders): string | undefined {
  return protocol !== undefined && /^version=[012]$/.test(protocol) ? protocol : undefined;
}

/** How a body is packed; the edge has refused what Git does not use. */
export function packingIn({ 'content-encoding': encoding }: GitHeaders): string | undefined {
  return encoding?.toLowerCase() === 'identity' ? undefined : encoding;
}
