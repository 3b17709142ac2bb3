/** What a handler returns when what it should create exists already; see `EndpointSpec.existing`. */
export class Existing<T> {
  constructor(readonly data: T) {}
}
