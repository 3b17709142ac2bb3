/** What a handler returns when what it began is not finished yet: 202; see `EndpointSpec.accepted`. */
export class Accepted<T> {
  constructor(readonly data: T) {}
}
