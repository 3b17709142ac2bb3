import type { Type } from '@nestjs/common';

const PARTIAL_UPDATE = Symbol('partial update');

/**
 * Marks a body that changes only what it names, or a part of one. A null there might mean "clear" or "leave", so it is
 * refused; in a body that creates something, null and leaving out are the same.
 */
export function PartialUpdate(): ClassDecorator {
  return (shape) => Reflect.defineMetadata(PARTIAL_UPDATE, true, shape);
}

export function isPartialUpdate(shape: Type): boolean {
  return Reflect.getMetadata(PARTIAL_UPDATE, shape) === true;
}
