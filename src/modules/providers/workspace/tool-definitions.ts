import type { FixedTool, Schema } from '../fixed-tools/index.ts';

/** A tool with the service that it belongs to. */
export interface ServiceTool extends FixedTool {
  readonly service: 'mail' | 'calendar' | 'drive' | 'sheets' | 'docs' | 'contacts';
}

/** Bytes of the text of a mail that is sent. */
export const MOST_MAIL_BYTES = 64 * 1_024;
/** Days from the first to the last event that are listed. */
export const MOST_EVENT_DAYS = 92;
export const MOST_CELLS = 10_000;

const limit = (maximum: number, preset: number): Schema => ({ type: 'integer', minimum: 1, maximum, default: preset });
const id: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,200}$' };
const query: Schema = { type: 'string', minLength: 1, maxLength: 500 };
/** One line, so that nothing becomes a header of its own. */
const line = (maxLength: number): Schema => ({ type: 'string', maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
const address: Schema = {
  type: 'string',
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63}){1,8}$",
};
const addresses = (minItems: number, maxItems: number): Schema => ({
  type: 'array',
  minItems,
  maxItems,
  uniqueItems: true,
  items: address,
});
const moment: Schema = {
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$',
  description: 'RFC 3339 with a zone',
};
const calendar: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.#@+-]{0,253}$',
  default: 'primary',
  description: 'An id of a calendar; that of the account itself unless said',
};

export const TOOLS: readonly ServiceTool[] = [
  {
    service: 'mail',
    name: 'mail_search',
    title: 'Search mail',
    description:
      'Mails that match, the newest first, with sender, subject and the beginning. As in the search box of Gmail.',
    access: 'read',
    properties: {
      query,
      limit: limit(50, 20),
      page_token: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,500}$', description: 'Of the page before' },
    },
    required: ['query'],
  },
  {
    service: 'mail',
    name: 'mail_read',
    title: 'Read a mail',
    description: 'One mail: its headers and its text, at most 256 KiB. Attachments are only named.',
    access: 'read',
    properties: { id },
    required: ['id'],
  },
  {
    service: 'mail',
    name: 'mail_send',
    title: 'Send a mail',
    description: 'Sends a mail of plain text in the name of the account, once.',
    access: 'write',
    properties: {
      to: addresses(1, 20),
      cc: addresses(1, 20),
      subject: line(500),
      text: { type: 'string', minLength: 1, maxLength: MOST_MAIL_BYTES },
    },
    required: ['to', 'subject', 'text'],
  },
  {
    service: 'calendar',
    name: 'calendar_list_events',
    title: 'List events',
    description: `Events of a calendar between two moments, at most ${MOST_EVENT_DAYS} days apart; repeated ones one by one.`,
    access: 'read',
    properties: { calendar_id: calendar, from: moment, to: moment, limit: limit(250, 50) },
    required: ['from', 'to'],
  },
  {
    service: 'calendar',
    name: 'calendar_create_event',
    title: 'Create an event',
    description: 'Creates an event, once; attendees are invited by mail.',
    access: 'write',
    properties: {
      calendar_id: calendar,
      title: { ...line(500), minLength: 1 },
      start: moment,
      end: moment,
      attendees: addresses(1, 50),
      description: { type: 'string', maxLength: 8_000 },
    },
    required: ['title', 'start', 'end'],
  },
  {
    service: 'drive',
    name: 'drive_search',
    title: 'Search files',
    description: 'Files with these words in their name or text, without those in the trash.',
    access: 'read',
    properties: { query, limit: limit(50, 20) },
    required: ['query'],
  },
  {
    service: 'drive',
    name: 'drive_read',
    title: 'Read a file',
    description: 'The text of a document, presentation or text file, or a sheet as CSV; at most 1 MiB.',
    access: 'read',
    properties: { id },
    required: ['id'],
  },
  {
    service: 'sheets',
    name: 'sheets_read',
    title: 'Read cells',
    description: `Values of a range, as people see them, row by row; at most ${MOST_CELLS} cells.`,
    access: 'read',
    properties: {
      id,
      range: {
        type: 'string',
        pattern: '^[^.\\u0000-\\u001f][^\\u0000-\\u001f]{0,199}$',
        description: 'In A1 notation, such as Orders!A1:F200',
      },
    },
    required: ['id', 'range'],
  },
  {
    service: 'docs',
    name: 'docs_read',
    title: 'Read a document',
    description: 'The text of a document, at most 1 MiB.',
    access: 'read',
    properties: { id },
    required: ['id'],
  },
  {
    service: 'contacts',
    name: 'contacts_search',
    title: 'Search contacts',
    description:
      'People of the address book whose names, addresses or numbers begin like this; the service gives at most 30.',
    access: 'read',
    properties: { query, limit: limit(50, 20) },
    required: ['query'],
  },
];
