/** Lets the page load the service's own files only. Scalar writes style elements, which is all that is left open. */
export const contentSecurityPolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Addresses are relative, so that the page works behind a prefix. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Business Runner: API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The document itself is at <a href="docs-json">docs-json</a>.</noscript>
    <div id="app"></div>
    <script src="docs/scalar.js"></script>
    <script src="docs/page.js"></script>
  </body>
</html>
`;

/**
 * Starts Scalar without what would ask another host: telemetry, fonts, the proxy, the assistant and the desktop client.
 * Calls go where the page came from.
 */
export const SCRIPT = `const base = new URL('.', location.href).href.replace(/\\/$/, '');
Scalar.createApiReference('#app', {
  url: base + '/docs-json',
  servers: [{ url: base, description: 'This service' }],
  authentication: { preferredSecurityScheme: 'ownerToken' },
  telemetry: false,
  withDefaultFonts: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultOpenFirstTag: false,
  documentDownloadType: 'json',
});
`;
