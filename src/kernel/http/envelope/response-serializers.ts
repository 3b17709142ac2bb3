import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Declared, type Schema } from './declared.ts';

type Serializer = (envelope: unknown) => string;

/**
 * Serialisers, made on first use from the response schemas of the OpenAPI document: what is not declared is not sent.
 * (Measured on Node 26 for pages of 50: copying what is declared and JSON.stringify take a quarter of the time of
 * fast-json-stringify, which was used before.)
 */
@Injectable()
export class ResponseSerializers implements OnApplicationBootstrap {
  /** By operation id and status. */
  private readonly schemas = new Map<string, Schema>();
  private readonly made = new Map<string, Serializer>();
  private declared = new Declared({});
  private document: (() => OpenAPIObject) | undefined;

  /**
   * Names the document whose success schemas count; called once, when the application is set up. It is made at the end of
   * the start, so that a start that is refused has not spent 0.3 s on it.
   */
  use(document: () => OpenAPIObject): void {
    this.document = document;
  }

  onApplicationBootstrap(): void {
    if (this.document) this.read(this.document());
  }

  private read({ paths, components }: OpenAPIObject): void {
    this.declared = new Declared(components?.schemas as Record<string, Schema>);
    for (const item of Object.values(paths))
      for (const operation of Object.values(item as object) as Operation[]) {
        for (const [status, response] of Object.entries(operation.responses ?? {})) {
          const schema = response.content?.['application/json']?.schema;
          if (operation.operationId && schema && status.startsWith('2'))
            this.schemas.set(`${operation.operationId} ${status}`, schema);
        }
      }
  }

  of(operationId: string, status: number): Serializer | undefined {
    const key = `${operationId} ${status}`;
    let serializer = this.made.get(key);
    if (!serializer) {
      const schema = this.schemas.get(key);
      if (!schema) return undefined;
      const copy = this.declared.copyOf(schema)!;
      serializer = (envelope) => JSON.stringify(copy(envelope as never));
      this.made.set(key, serializer);
    }
    return serializer;
  }
}

interface Operation {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}
