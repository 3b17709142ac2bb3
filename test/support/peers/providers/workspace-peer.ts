import {
  CONTACTS_HOST,
  DOCS_HOST,
  FILES_HOST,
  MAIL_HOST,
  SHEETS_HOST,
} from '../../../../src/modules/providers/workspace/manifest.ts';
import type { Outside } from '../outside.ts';
import {
  type PeerAnswer,
  type PeerRequest,
  requireMembers,
  requireQuery,
  StrictHttpPeer,
  UnknownPart,
} from './strict-http-peer.ts';

type Known = (request: PeerRequest) => PeerAnswer;

const base64 = (text: string) => Buffer.from(text).toString('base64url');
const missing = { status: 404, body: { error: { code: 404, message: 'CANARY-text' } } };

/**
 * The services of the workspace, over TLS at their own names, as the provider's sheet has their addresses and what their
 * tools show. It proves nothing of the real services: what a search finds, how a document is exported and what a mail
 * becomes are made up here.
 */
export class WorkspacePeer extends StrictHttpPeer {
  readonly userInfo = 'https://openidconnect.googleapis.com/v1/userinfo';
  /** Text of the files. */
  exported = 'First line\nSecond line';
  /** Rows of cells. */
  cells: readonly (readonly unknown[])[] = [
    ['Order', 'Total'],
    ['A-1', '19.99'],
  ];
  private readonly mails = new Map([
    ['m1', { subject: 'Order A-1', text: 'Where is it?' }],
    ['m2', { subject: 'Re: Order A-1', text: '' }],
  ]);

  private readonly calls: Readonly<Record<string, Known>> = {
    [`GET ${MAIL_HOST}/gmail/v1/users/me/messages`]: ({ query }) => {
      requireQuery(query, 'q', 'maxResults', 'pageToken');
      return { body: { messages: [...this.mails.keys()].map((id) => ({ id, threadId: 't1' })), nextPageToken: '9' } };
    },
    [`POST ${MAIL_HOST}/gmail/v1/users/me/messages/send`]: ({ query, body }) => {
      requireQuery(query);
      requireMembers(body, 'raw');
      return { body: { id: 'sent-1', threadId: 't2', labelIds: ['SENT'] } };
    },
    [`GET ${FILES_HOST}/calendar/v3/calendars/primary/events`]: ({ query }) => {
      requireQuery(query, 'timeMin', 'timeMax', 'singleEvents', 'orderBy', 'maxResults');
      const start = { dateTime: '2026-12-01T10:00:00+01:00' };
      const event = { id: 'e1', status: 'confirmed', summary: 'Launch', htmlLink: 'https://CANARY.example', start };
      const attendees = [{ email: 'bo@acme.test', responseStatus: 'accepted', self: true }];
      return {
        body: { timeZone: 'Europe/Berlin', items: [{ ...event, end: { date: '2026-12-02' }, attendees }] },
      };
    },
    [`POST ${FILES_HOST}/calendar/v3/calendars/primary/events`]: ({ query, body }) => {
      requireQuery(query, 'sendUpdates');
      requireMembers(body, 'summary', 'description', 'start', 'end', 'attendees');
      return { body: { id: 'e2', status: 'confirmed', htmlLink: 'https://CANARY.example' } };
    },
    [`GET ${FILES_HOST}/drive/v3/files`]: ({ query }) => {
      requireQuery(query, 'q', 'pageSize', 'fields');
      const file = { id: 'd1', name: 'Plan', mimeType: 'application/vnd.google-apps.document' };
      return {
        body: { files: [{ ...file, modifiedTime: '2026-11-01T00:00:00Z', webViewLink: 'https://CANARY.example' }] },
      };
    },
    [`GET ${FILES_HOST}/drive/v3/files/d1`]: ({ query }) => {
      requireQuery(query, 'fields');
      return { body: { id: 'd1', name: 'Plan', mimeType: 'application/vnd.google-apps.document' } };
    },
    [`GET ${FILES_HOST}/drive/v3/files/d1/export`]: ({ query }) => {
      requireQuery(query, 'mimeType');
      return { body: this.exported, headers: { 'content-type': 'text/plain' } };
    },
    [`GET ${FILES_HOST}/drive/v3/files/t1`]: ({ query }) => {
      requireQuery(query, 'fields', 'alt');
      if (query.get('alt') === 'media') return { body: 'a,b', headers: { 'content-type': 'text/csv; charset=utf-8' } };
      return { body: { id: 't1', name: 'a.csv', mimeType: 'text/csv', size: '3' } };
    },
    [`GET ${FILES_HOST}/drive/v3/files/p1`]: () => ({ body: { id: 'p1', name: 'a.png', mimeType: 'image/png' } }),
    [`GET ${SHEETS_HOST}/v4/spreadsheets/s1/values/Orders!A1%3AB2`]: ({ query }) => {
      requireQuery(query, 'majorDimension', 'valueRenderOption');
      return { body: { range: 'Orders!A1:B2', majorDimension: 'ROWS', values: this.cells } };
    },
    [`GET ${DOCS_HOST}/v1/documents/d1`]: ({ query }) => {
      requireQuery(query, 'fields');
      const paragraph = (content: string) => ({ paragraph: { elements: [{ textRun: { content } }] } });
      const cells = ['A-1\n', '19.99\n'].map((text) => ({ content: [paragraph(text)] }));
      const content = [paragraph('Plan\n'), { table: { tableRows: [{ tableCells: cells }] } }, paragraph('End\n')];
      return { body: { documentId: 'd1', title: 'Plan', body: { content } } };
    },
    [`GET ${CONTACTS_HOST}/v1/people:searchContacts`]: ({ query }) => {
      requireQuery(query, 'query', 'pageSize', 'readMask');
      const person = {
        resourceName: 'people/CANARY',
        names: [{ displayName: 'Bo Berg', metadata: { primary: true } }],
        emailAddresses: [{ value: 'bo@acme.test' }],
      };
      return { body: { results: [{ person }] } };
    },
    'GET openidconnect.googleapis.com/v1/userinfo': () => ({ body: { sub: 'ada', email: 'ada@acme.test' } }),
  };

  static async start(outside: Outside): Promise<WorkspacePeer> {
    const peer = new WorkspacePeer();
    const hosts = [MAIL_HOST, FILES_HOST, SHEETS_HOST, DOCS_HOST, CONTACTS_HOST, new URL(peer.userInfo).host];
    for (const host of hosts) await outside.host(host, peer.answer);
    return peer;
  }

  protected reply(request: PeerRequest): PeerAnswer {
    const { method, host, path, headers } = request;
    if (!/^Bearer [^ ]+$/.test(headers.authorization ?? '')) return { status: 401 };
    const known = this.calls[`${method} ${host}${path}`];
    if (known) return known(request);
    if (host === MAIL_HOST && method === 'GET') return this.mail(request);
    if (/\/(files|documents|spreadsheets)\/gone/.test(path)) return missing;
    throw new UnknownPart('the call is unknown');
  }

  private mail({ path, query }: PeerRequest): PeerAnswer {
    requireQuery(new URLSearchParams([...query].filter(([name]) => name !== 'metadataHeaders')), 'format');
    const id = path.split('/').at(-1)!;
    const mail = this.mails.get(id);
    if (!mail) return missing;
    const headers = [
      { name: 'Subject', value: mail.subject },
      { name: 'From', value: 'Bo <bo@acme.test>' },
      { name: 'Date', value: 'Mon, 30 Nov 2026 09:00:00 +0000' },
      { name: 'X-Hidden', value: 'CANARY' },
    ];
    const part = mail.text === '' ? 'text/html' : 'text/plain';
    const content = { name: 'Content-Type', value: `${part}; charset="iso-8859-1"` };
    const body = {
      data: Buffer.from(mail.text === '' ? '<p>CANARY</p>' : `${mail.text} – é`, 'latin1').toString('base64url'),
    };
    const parts = [
      { mimeType: 'multipart/alternative', parts: [{ mimeType: part, headers: [content], body }] },
      { mimeType: 'application/pdf', filename: 'order.pdf', body: { attachmentId: base64('CANARY') } },
    ];
    const message = { id, threadId: 't1', snippet: 'Where is', labelIds: ['INBOX'] };
    return { body: { ...message, payload: { mimeType: 'multipart/mixed', headers, parts } } };
  }
}
