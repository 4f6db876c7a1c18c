/** JSON Schema as plain data; Haft reads little of it and passes it on as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** True for a schema whose root describes an object: providers accept no other for a tool's input. */
export function describesObject(schema: JsonSchema): boolean {
  return schema.type === 'object'
}

/** Far beyond what people write, and far below what JSON.stringify takes. */
const MAX_DEPTH = 200

/** Whether a schema could not be sent: what a server nests for ever would fail the request, and all other tools with it. */
export function isTooDeep(schema: unknown, room = MAX_DEPTH): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return room === 0 || Object.values(schema).some((part) => isTooDeep(part, room - 1))
}

/**
 * The part of the Standard Schema and Standard JSON Schema interfaces that Haft reads.
 * Zod (4.2 and later), ArkType and Valibot (through its `toStandardJsonSchema`) all fit.
 */
export interface StandardSchema<In = unknown, Out = In> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: In; readonly output: Out } | undefined
    readonly validate: (value: unknown) => SchemaResult<Out> | Promise<SchemaResult<Out>>
    readonly jsonSchema?:
      | {
          // Each library names the targets it knows; all know draft-2020-12
          readonly input: (options: { readonly target: any }) => JsonSchema
          readonly output: (options: { readonly target: any }) => JsonSchema
        }
      | undefined
  }
}

export type SchemaResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema whose values are objects: the only kind a tool's input may have. */
export type ObjectSchema<Out extends ObjectValue = ObjectValue> = StandardSchema<any, Out>

/** Any object but a list, a date and their like. */
export type ObjectValue = object & { readonly [Symbol.iterator]?: never; readonly [Symbol.toPrimitive]?: never }

/** What a schema yields: the arguments that `call` gets. */
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

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
