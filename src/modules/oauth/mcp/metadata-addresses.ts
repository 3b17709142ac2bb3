/** Where metadata of a protected resource may be (RFC 9728), in the order in which they are tried. */
export function resourceMetadataAddresses(endpoint: URL, named: string | undefined): readonly string[] {
  const root = `${endpoint.origin}/.well-known/oauth-protected-resource`;
  const path = withoutSlash(endpoint.pathname);
  // One of another origin says nothing about this endpoint.
  const given = named !== undefined && URL.canParse(named, endpoint) ? new URL(named, endpoint) : undefined;
  const said = given?.origin === endpoint.origin ? [given.href] : [];
  return [...new Set([...said, `${root}${path}`, root])];
}

/** Where metadata of an authorization server may be (RFC 8414, OpenID Connect), in the order of the MCP specification. */
export function issuerMetadataAddresses(issuer: URL): readonly string[] {
  const { origin } = issuer;
  const path = withoutSlash(issuer.pathname);
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** The resource of an endpoint without metadata: its address without query. */
export function ownResource(endpoint: URL): string {
  const { origin, pathname } = endpoint;
  return pathname === '/' ? origin : `${origin}${pathname}`;
}

/** Whether metadata that call themselves this resource are those of the endpoint, or of what lies around it. */
export function coversEndpoint(resource: string, endpoint: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const url = new URL(resource);
  if (url.origin !== endpoint.origin || url.username || url.password || /[?#]/.test(resource)) return false;
  const around = withoutSlash(url.pathname);
  const path = endpoint.pathname;
  return path === url.pathname || path === around || path.startsWith(`${around}/`);
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
