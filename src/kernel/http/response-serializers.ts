import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import fastJsonStringify from 'fast-json-stringify';

type Serializer = (envelope: unknown) => string;

/** Serialisers compiled, on first use, from the response schemas of the OpenAPI document: what is not declared does not leave. */
@Injectable()
export class ResponseSerializers {
  /** By operation id and status. */
  private readonly schemas = new Map<string, object>();
  private readonly compiled = new Map<string, Serializer>();

  /** Takes the success schemas of a document; called once, when the application is set up. */
  use({ paths, components }: OpenAPIObject): void {
    for (const item of Object.values(paths))
      for (const operation of Object.values(item as object) as Operation[]) {
        for (const [status, response] of Object.entries(operation.responses ?? {})) {
          const schema = response.content?.['application/json']?.schema;
          if (operation.operationId && schema && status.startsWith('2'))
            this.schemas.set(`${operation.operationId} ${status}`, { ...schema, components });
        }
      }
  }

  of(operationId: string, status: number): Serializer | undefined {
    const key = `${operationId} ${status}`;
    let serializer = this.compiled.get(key);
    if (!serializer) {
      const schema = this.schemas.get(key);
      if (!schema) return undefined;
      serializer = fastJsonStringify(schema) as Serializer;
      this.compiled.set(key, serializer);
    }
    return serializer;
  }
}

interface Operation {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { schema?: object }> }>;
}
