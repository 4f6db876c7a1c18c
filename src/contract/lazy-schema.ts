import type { StandardSchema } from './schema.js'

/** A schema that is built on first use. It is itself a Standard Schema, so it can stand wherever one can. */
export class LazySchema<S extends StandardSchema> {
  #factory: (() => S) | undefined
  #schema: S | undefined

  constructor(factory: () => S) {
    this.#factory = factory
  }

  /** The schema itself, built now if nobody has asked before. */
  get schema(): S {
    if (this.#schema === undefined) {
      if (this.#factory === undefined) throw new Error('A lazy schema asks for itself while it is being built.')
      const factory = this.#factory
      this.#factory = undefined
      try {
        this.#schema = factory()
        if (this.#schema === undefined)
          throw new Error('A lazy schema was built from nothing: its factory must return it.')
      } catch (error) {
        this.#factory = factory
        throw error
      }
    }
    return this.#schema
  }

  get '~standard'(): S['~standard'] {
    return this.schema['~standard']
  }
}

/**
 * Puts off building a schema until it is needed, so that start-up registers names only.
 * @__NO_SIDE_EFFECTS__
 */
export function lazySchema<S extends StandardSchema>(factory: () => S): LazySchema<S> {
  return new LazySchema(factory)
}

/** The schema behind a lazy one; any other schema is returned as it is. */
export function resolveSchema(schema: StandardSchema): StandardSchema {
  return schema instanceof LazySchema ? schema.schema : schema
}
