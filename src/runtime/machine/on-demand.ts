/** A value that is created on first use. */
export class OnDemand<T> {
  readonly #create: () => Promise<T>
  #opening: Promise<T> | undefined
  #opened: T | undefined

  constructor(create: () => Promise<T>) {
    this.#create = create
  }

  /** Undefined until it has been created. */
  get opened(): T | undefined {
    return this.#opened
  }

  open(): Promise<T> {
    this.#opening ??= this.#create().then((createdValue) => {
      this.#opened = createdValue
      return createdValue
    })
    return this.#opening
  }

  /** Resolves with the value if it has been requested, else with undefined. Does not create it. */
  async getIfRequested(): Promise<T | undefined> {
    return this.#opening
  }
}
