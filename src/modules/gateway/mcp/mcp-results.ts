import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ActionDetailDto } from '../../actions/index.ts';
import type { ToolCallDto } from '../tool-calls/gateway.dto.ts';

/** What became of a call, as MCP has it. */
export function resultOf({ status, output, error, action, truncated }: ToolCallDto): CallToolResult {
  if (status === 'failed') return failed(error!.message, { code: error!.code, ...waitOf(error!.retryAfterSeconds) });
  const cut = truncated === true ? { truncated: true } : {};
  if (status === 'succeeded') return withMeta(shown(output ?? {}), cut);
  return ofAction(action!, cut);
}

export function failed(text: string, meta: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true, _meta: meta };
}

function ofAction({ id, reference, status, result, error }: ActionDetailDto, cut: object): CallToolResult {
  const meta = { actionId: id, status, ...cut };
  switch (status) {
    case 'succeeded':
      return withMeta(shown(result ?? {}), meta);
    case 'awaiting_approval':
      return failed(
        `Action ${reference} waits for a person to approve it. Nothing has been sent. End the run in an action_wait that names the action; the same call again meets the same action.`,
        { ...meta, code: 'awaiting_approval' },
      );
    case 'approved':
    case 'executing':
      return failed(
        `Action ${reference} is still on its way. End the run in an action_wait that names the action, or make the same call again, which meets the same action.`,
        { ...meta, code: status },
      );
    case 'reconciliation_required':
      return failed(
        `Action ${reference} was sent, and nobody knows what became of it; a person looks. It is never sent again. End the run in an action_wait that names the action.`,
        { ...meta, code: 'ambiguous' },
      );
    default:
      return failed(`Action ${reference} is ${status.replaceAll('_', ' ')}. ${error?.message ?? ''}`.trim(), {
        ...meta,
        code: error?.code ?? status,
      });
  }
}

function waitOf(seconds: number | null): object {
  return seconds === null ? {} : { retryAfterSeconds: seconds };
}

function withMeta(result: CallToolResult, meta: object): CallToolResult {
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: { ...meta } };
}

interface Output {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** An output as a result. What MCP has no form for without its data (media, resources) is told in words. */
function shown(output: object): CallToolResult {
  const { content, structuredContent, isError } = output as Output;
  // Of a provider that does not speak MCP, and what was too large to keep.
  if (!Array.isArray(content)) return { content: [text(JSON.stringify(output))], structuredContent: { ...output } };
  return {
    content: content.map(partOf),
    ...(isObject(structuredContent) ? { structuredContent } : {}),
    isError: isError === true,
  };
}

function partOf(part: unknown): CallToolResult['content'][number] {
  if (!isObject(part)) return text(JSON.stringify(part));
  const { type, uri, name } = part;
  if (type === 'text' && typeof part.text === 'string') return text(part.text);
  if (type === 'resource_link' && typeof uri === 'string' && typeof name === 'string')
    return { ...part, type: 'resource_link', uri, name };
  return text(`[${Object.values(part).map(String).join(', ')}]`);
}

function text(of: string) {
  return { type: 'text', text: of } as const;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
