import { ApiError, EdgeErrors, EdgeIssues, invalid, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { IntegrationIssues } from '../integration.errors.ts';
import { OWNER_MADE_KIND } from '../integration.state.ts';
import type { GivenSecret } from '../provider-adapters.port.ts';
import {
  CREDENTIAL_FIELDS,
  type CredentialField,
  type PutCredentialDto,
  type RequestedKind,
} from './credential.dto.ts';

const FIELDS = [...new Set(Object.values(CREDENTIAL_FIELDS).flat())] as readonly CredentialField[];

/** The field that a provider's refusal of a credential is about. */
const REFUSED_FIELD: Readonly<Record<RequestedKind, CredentialField | 'kind'>> = {
  none: 'kind',
  api_key: 'apiKey',
  rest_token: 'token',
  srv: 'password',
  role: 'roleArn',
  app_installation: 'installationId',
  token: 'token',
};

export interface GivenCredential {
  readonly kind: RequestedKind;
  readonly secret: GivenSecret;
  readonly refusedField: string;
}

/** The credential of a request for a kind of connector; 400 where it is none of the kind. */
export function givenCredential(
  connectorKind: string,
  accepted: readonly string[],
  body: PutCredentialDto,
): GivenCredential {
  const { kind } = body;
  if (!accepted.includes(kind))
    throw invalid(
      'kind',
      EdgeIssues.notOfKind,
      `must be ${accepted.join(' or ') || 'none: it is authorized by OAuth'}`,
    );
  const own: readonly CredentialField[] = CREDENTIAL_FIELDS[kind];
  const isOwnServer = connectorKind === OWNER_MADE_KIND;
  const issues = FIELDS.flatMap((field): Issue[] => {
    const isOwn = own.includes(field) && (field !== 'header' || isOwnServer);
    if (body[field] === undefined) return isOwn && field !== 'header' ? [issueAt(field, EdgeIssues.required)] : [];
    return isOwn
      ? []
      : [issueAt(field, EdgeIssues.notOfKind, `does not belong to a credential of kind "${kind}" here`)];
  });
  if (issues.length === 0 && isOwnServer) issues.push(...headerIssues(body));
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  const secret = Object.fromEntries(own.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])));
  return { kind, secret, refusedField: REFUSED_FIELD[kind] };
}

/** Names of headers, in lower case, that belong to the transport, cookies, proxies and the protocol. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'last-event-id',
  'origin',
  'range',
  'referer',
  'set-cookie',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const FORBIDDEN_PREFIXES = ['mcp-', 'proxy-', 'sec-', 'x-forwarded-', 'x-mcp-', 'x-real-ip'];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** What a header may carry. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function headerIssues({ header, apiKey }: PutCredentialDto): readonly Issue[] {
  return [
    ...(header === undefined || isPermitted(header.toLowerCase())
      ? []
      : [
          issueAt(
            'header',
            IntegrationIssues.forbiddenHeader,
            'must be a header other than those of transport, cookies, proxies and MCP',
          ),
        ]),
    ...(apiKey === undefined || VALUE.test(apiKey)
      ? []
      : [
          issueAt(
            'apiKey',
            EdgeIssues.invalidText,
            'must be visible ASCII characters, not beginning or ending with a space',
          ),
        ]),
  ];
}

function isPermitted(header: string): boolean {
  return (
    TOKEN.test(header) &&
    !FORBIDDEN_HEADERS.has(header) &&
    !FORBIDDEN_PREFIXES.some((prefix) => header.startsWith(prefix))
  );
}
