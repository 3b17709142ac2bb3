/** What a handler returns when the thing that it was to create is there already; see `EndpointSpec.existing`. */
export class Existing<T> {
  constructor(readonly data: T) {}
}
