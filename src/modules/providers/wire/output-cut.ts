import type { ToolOutput } from '../../integrations/index.ts';
import { isObject } from './json-answer.ts';
import { failed } from './provider-failure.ts';

/** Of a string in an output, in characters, unless its tool says more. */
const MOST_CHARACTERS = 32 * 1_024;
/** Of a whole output as JSON. */
const MOST_BYTES = 1_024 * 1_024;

/** Brings values into bounds, and into what the database can keep. */
export class OutputCut {
  wasNeeded = false;

  constructor(private readonly mostCharacters = MOST_CHARACTERS) {}

  text(given: string): string {
    const whole =
      given.isWellFormed() && !given.includes('\0') ? given : given.toWellFormed().replaceAll('\0', '\uFFFD');
    if (whole.length <= this.mostCharacters) return whole;
    this.wasNeeded = true;
    return whole.slice(0, this.mostCharacters).toWellFormed();
  }

  value(given: unknown): unknown {
    if (typeof given === 'string') return this.text(given);
    if (Array.isArray(given)) return given.map((each) => this.value(each));
    if (!isObject(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, each]) => [this.text(key), this.value(each)]));
  }
}

/**
 * What agents get of a fixed tool: its projection, in `structuredContent` and as text beside it, as MCP clients expect it.
 * Throws `result_too_large` beyond what an output may have.
 */
export function outputOf(projection: object, { mostCharacters, truncated = false }: OutputOptions = {}): ToolOutput {
  const cut = new OutputCut(mostCharacters);
  const structuredContent = cut.value(projection) as object;
  const text = JSON.stringify(structuredContent);
  if (Buffer.byteLength(text) > MOST_BYTES) throw failed('bad_answer', { reason: 'result_too_large' });
  return {
    output: { content: [{ type: 'text', text }], structuredContent, isError: false },
    truncated: truncated || cut.wasNeeded,
  };
}

export interface OutputOptions {
  /** Of one string; 32,768 unless said. */
  readonly mostCharacters?: number;
  /** Whether the tool has left something out itself. */
  readonly truncated?: boolean;
}
