import type { Issue } from '../../errors/index.ts';

/** What a handler returns that did what it was asked for, but not with all of its input; see `EndpointSpec.warns`. */
export class Warned<T> {
  constructor(
    readonly data: T,
    readonly warnings: readonly Issue[],
  ) {}
}
