import type { Type } from '@nestjs/common';

const PARTIAL_UPDATE = Symbol('partial update');

/**
 * Marks the class of a body, or of a part of one, that changes only what it names. Refuses null there, because it might
 * mean "clear" or "leave"; in a body that creates something, null counts as absent.
 */
export function PartialUpdate(): ClassDecorator {
  return (shape) => Reflect.defineMetadata(PARTIAL_UPDATE, true, shape);
}

export function isPartialUpdate(shape: Type): boolean {
  return Reflect.getMetadata(PARTIAL_UPDATE, shape) === true;
}
