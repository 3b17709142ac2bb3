import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import fastJsonStringify from 'fast-json-stringify';

type Serializer = (envelope: unknown) => string;

/** Serialisers compiled, on first use, from the response schemas of the OpenAPI document: what is not declared does not leave. */
@Injectable()
export class ResponseSerializers {
  private readonly schemas = new Map<string, object>();
  private readonly compiled = new Map<string, Serializer>();

  /** Takes the success schemas of a document; called once, when the application is set up. */
  use({ paths, components }: OpenAPIObject): void {
    for (const item of Object.values(paths))
      for (const operation of Object.values(item as object) as Operation[]) {
        const success = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'));
        const schema = success?.[1].content?.['application/json']?.schema;
        if (operation.operationId && schema) this.schemas.set(operation.operationId, { ...schema, components });
      }
  }

  of(operationId: string): Serializer | undefined {
    let serializer = this.compiled.get(operationId);
    if (!serializer) {
      const schema = this.schemas.get(operationId);
      if (!schema) return undefined;
      serializer = fastJsonStringify(schema) as Serializer;
      this.compiled.set(operationId, serializer);
    }
    return serializer;
  }
}

interface Operation {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { schema?: object }> }>;
}
