import type { INestApplicationContext } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type EndpointSpec, endpointOf, operationIdOf } from '../endpoint/index.ts';

/** What a handler declares, and the id of its operation. */
export interface DeclaredOperation {
  readonly operationId: string;
  readonly spec: EndpointSpec;
}

/** The key of a handler, which is unlike an operation id: an endpoint may name its own. */
export function handlerKey(controller: string, method: string): string {
  return `${controller}.${method}`;
}

/**
 * Specs of all handlers by their keys. Throws for two operations with one id, which would share document and
 * serialiser.
 */
export function endpointSpecs(app: INestApplicationContext): Map<string, DeclaredOperation> {
  const specs = new Map<string, DeclaredOperation>();
  const ids = new Set<string>();
  const scanner = new MetadataScanner();
  for (const module of app.get(ModulesContainer).values())
    for (const { metatype } of module.controllers.values()) {
      const prototype = (metatype as { prototype: Record<string, object> }).prototype;
      for (const key of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[key] as { name: string };
        const spec = endpointOf(handler);
        if (!spec) continue;
        const controller = metatype as { name: string };
        const operationId = operationIdOf(controller, handler);
        if (ids.has(operationId))
          throw new Error(`Two handlers have the operation id "${operationId}"; set operationId on one.`);
        ids.add(operationId);
        specs.set(handlerKey(controller.name, key), { operationId, spec });
      }
    }
  return specs;
}
