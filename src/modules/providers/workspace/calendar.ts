import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { SentCall, ToolOutput } from '../../integrations/index.ts';
import { isObject, type JsonObject, outputOf } from '../wire/index.ts';
import { addressOf, idIn, objectsIn, textIn, type WorkspaceClient } from './client.ts';
import { FILES_HOST } from './manifest.ts';
import { MOST_EVENT_DAYS } from './tool-definitions.ts';

const DAY_MS = 86_400_000;

export interface EventsArguments {
  readonly calendar_id: string;
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

export interface EventArguments {
  readonly calendar_id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly attendees?: readonly string[];
  readonly description?: string;
}

/** Two moments that the calendar has, the first before the last and not too far from it. */
export function requireSpan(
  first: readonly [string, string],
  last: readonly [string, string],
  mostDays?: number,
): void {
  const [[firstName, from], [lastName, to]] = [first, last];
  const [start, end] = [Date.parse(from), Date.parse(to)];
  for (const [name, time] of [[firstName, start] as const, [lastName, end] as const])
    if (Number.isNaN(time)) throw invalid(`arguments.${name}`, EdgeIssues.invalidTimestamp);
  if (end <= start) throw invalid(`arguments.${lastName}`, EdgeIssues.outOfRange, `must be after ${firstName}`);
  if (mostDays !== undefined && end - start > mostDays * DAY_MS)
    throw invalid(
      `arguments.${lastName}`,
      EdgeIssues.outOfRange,
      `must be at most ${mostDays} days after ${firstName}`,
    );
}

export function requireEvents({ from, to }: EventsArguments): void {
  requireSpan(['from', from], ['to', to], MOST_EVENT_DAYS);
}

export function requireEvent({ start, end }: EventArguments): void {
  requireSpan(['start', start], ['end', end]);
}

function eventsAt(calendarId: string, query: Parameters<typeof addressOf>[2]): URL {
  return addressOf(FILES_HOST, `/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events`, query);
}

export async function listEvents(
  { calendar_id: id, from, to, limit }: EventsArguments,
  client: WorkspaceClient,
): Promise<ToolOutput> {
  const page = await client.read(
    eventsAt(id, { timeMin: from, timeMax: to, singleEvents: 'true', orderBy: 'startTime', maxResults: String(limit) }),
  );
  const events = objectsIn(page['items']).slice(0, limit).map(eventOf);
  return outputOf(
    { time_zone: textIn(page['timeZone']), events },
    { truncated: textIn(page['nextPageToken']) !== null },
  );
}

function eventOf(event: JsonObject) {
  const organizer = isObject(event['organizer']) ? event['organizer'] : {};
  return {
    id: textIn(event['id']),
    status: textIn(event['status']),
    title: textIn(event['summary']),
    description: textIn(event['description']),
    location: textIn(event['location']),
    start: momentOf(event['start']),
    end: momentOf(event['end']),
    organizer: textIn(organizer['email']),
    attendees: objectsIn(event['attendees']).map(({ email, responseStatus }) => ({
      email: textIn(email),
      response: textIn(responseStatus),
    })),
  };
}

/** A moment, or a day of an event that lasts whole days. */
function momentOf(moment: unknown): string | null {
  if (!isObject(moment)) return null;
  return textIn(moment['dateTime']) ?? textIn(moment['date']);
}

export function createEvent(
  { calendar_id: id, title, start, end, attendees = [], description }: EventArguments,
  client: WorkspaceClient,
): Promise<SentCall> {
  const event = {
    summary: title,
    ...(description === undefined ? {} : { description }),
    start: { dateTime: start },
    end: { dateTime: end },
    ...(attendees.length > 0 ? { attendees: attendees.map((email) => ({ email })) } : {}),
  };
  const url = eventsAt(id, attendees.length > 0 ? { sendUpdates: 'all' } : {});
  return client.send(url, event, (answer) => {
    const { body } = answer;
    const made = isObject(body) ? body : {};
    return outputOf({ id: idIn(made, answer), status: textIn(made['status']) });
  });
}
