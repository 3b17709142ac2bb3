import type { FastifyRequest } from 'fastify';

/** What a request is about, as far as its line tells: each a UUID, but for the worker's name. */
const FIELDS = ['organizationId', 'runId', 'turnId', 'workerId'] as const;
type Named = Partial<Record<(typeof FIELDS)[number], string>>;

type NamingRequest = Pick<FastifyRequest, 'params' | 'body' | 'identity'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** As the API takes them. */
const WORKER_ID_LENGTH = 200;

/**
 * The organization, run, chat turn and worker that the token, the body or the path of a request to this route names. A
 * body that was refused is looked into too, so only what has the form of an id is told.
 */
export function namedBy({ params, body, identity }: NamingRequest, route: string | undefined): Named {
  const named: Named = {};
  const execution = identity?.kind === 'gateway' ? identity.execution : identity;
  if (execution?.kind === 'execution') {
    named.organizationId = execution.organizationId;
    named[execution.execution === 'task_run' ? 'runId' : 'turnId'] = execution.executionId;
  }
  addFrom(named, body);
  addFrom(named, params);
  // Owners read and cancel runs at `…/runs/:id`.
  if (route?.includes('/runs/:id')) add(named, 'runId', (params as { id?: unknown }).id);
  return named;
}

function addFrom(named: Named, from: unknown): void {
  if (typeof from !== 'object' || from === null) return;
  for (const field of FIELDS) if (field in from) add(named, field, (from as Record<string, unknown>)[field]);
}

function add(named: Named, field: keyof Named, value: unknown): void {
  if (typeof value !== 'string') return;
  if (field === 'workerId') named.workerId = value.slice(0, WORKER_ID_LENGTH);
  else if (UUID.test(value)) named[field] = value.toLowerCase();
}
