import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import type { Risk } from '../../organizations/index.ts';
import type { ListedTool, ToolAccess } from '../../integrations/index.ts';
import { StrictSchema } from '../tool-arguments/index.ts';

/** JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/** A tool as the manifest of a provider defines it. */
export interface FixedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly access: ToolAccess;
  /** `external` unless said. */
  readonly risk?: Risk;
  /** Whether a person sees each call, whatever the mode; only of writes. */
  readonly reviewRequired?: boolean;
  /** By argument; every string and array bounded. The object that they form is closed. */
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** Parts of schemas that refer to each other, by name: `#/$defs/<name>`. */
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** Writes what settings permit into the schema of one argument. */
export type Scoped = (tool: FixedTool, argument: string, schema: Schema) => Schema;

/** The tools of one provider. */
export class FixedTools {
  private readonly tools: ReadonlyMap<
    string,
    { readonly tool: FixedTool; readonly listed: ListedTool; readonly schema: StrictSchema }
  >;

  constructor(definitions: readonly FixedTool[]) {
    this.tools = new Map(
      definitions.map((tool) => {
        const listed = listedTool(tool);
        return [tool.name, { tool, listed, schema: new StrictSchema(listed.inputSchema) }];
      }),
    );
  }

  /** As agents see them: `scoped` writes into the schemas what they may name. */
  listed(scoped?: Scoped): readonly ListedTool[] {
    const all = [...this.tools.values()];
    if (!scoped) return all.map(({ listed }) => listed);
    return all.map(({ tool, listed }) => scopedTool(tool, listed, scoped));
  }

  /** The arguments with their defaults; 400 at the first that the tool does not take, below the path where they stand. */
  checked<T = Record<string, unknown>>(name: string, args: Readonly<Record<string, unknown>>, path = 'arguments'): T {
    return this.tools.get(name)!.schema.checked<T>(args, path);
  }
}

function listedTool(tool: FixedTool): ListedTool {
  const {
    name,
    title,
    description,
    access,
    risk = 'external',
    reviewRequired = false,
    properties,
    required = [],
    definitions,
  } = tool;
  const definition = {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties,
      required: [...required],
      additionalProperties: false,
      ...(definitions ? { $defs: definitions } : {}),
    },
    annotations: { readOnlyHint: access === 'read' },
  };
  return { ...definition, access, risk, reviewRequired, definitionHash: canonicalDigest(definition) };
}

function scopedTool(tool: FixedTool, listed: ListedTool, scoped: Scoped): ListedTool {
  const within = Object.fromEntries(
    Object.entries(tool.properties).map(([argument, schema]) => [argument, scoped(tool, argument, schema)]),
  );
  return { ...listed, inputSchema: { ...listed.inputSchema, properties: within } };
}
