/** JSON Schema as plain data, which Haft passes on unchanged. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Whether the root of a schema describes an object. Providers accept nothing else as the input of a tool. */
export function describesObject(schema: JsonSchema): boolean {
  return schema.type === 'object'
}

/** Larger than real schemas need, and small enough for JSON.stringify. */
const MAX_DEPTH = 200

/** Whether a schema is nested too deeply to send. One such schema from a server would fail the whole request. */
export function isTooDeep(schema: unknown, remainingDepth = MAX_DEPTH): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return remainingDepth === 0 || Object.values(schema).some((subschema) => isTooDeep(subschema, remainingDepth - 1))
}

/**
 * The part of Standard Schema and Standard JSON Schema that Haft uses.
 * Zod (4.2 or later), ArkType and Valibot (with `toStandardJsonSchema`) implement it.
 */
export interface StandardSchema<In = unknown, Out = In> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: In; readonly output: Out } | undefined
    readonly validate: (value: unknown) => SchemaResult<Out> | Promise<SchemaResult<Out>>
    readonly jsonSchema?:
      | {
          // Each library has its own list of targets; all of them support draft-2020-12.
          readonly input: (options: { readonly target: any }) => JsonSchema
          readonly output: (options: { readonly target: any }) => JsonSchema
        }
      | undefined
  }
}

/** The result of a validation: the parsed value, or the issues that were found. */
export type SchemaResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** A problem in a validated value; without `path`, it concerns the whole value. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema whose values are objects, as required for the input of a tool. */
export type ObjectSchema<Out extends ObjectValue = ObjectValue> = StandardSchema<any, Out>

/** Any object except arrays, dates and similar built-ins. */
export type ObjectValue = object & { readonly [Symbol.iterator]?: never; readonly [Symbol.toPrimitive]?: never }

/** The type of a schema's parsed value, such as the arguments of `call`. */
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

/** A schema that is built on first use. It is a Standard Schema itself. */
export class LazySchema<S extends StandardSchema> {
  #factory: (() => S) | undefined
  #schema: S | undefined

  constructor(factory: () => S) {
    this.#factory = factory
  }

  /** The schema, built on first access. */
  get schema(): S {
    if (this.#schema === undefined) {
      if (this.#factory === undefined)
        throw new Error('A lazy schema refers to itself while it is being built. Move the reference into a getter.')
      const factory = this.#factory
      this.#factory = undefined
      try {
        this.#schema = factory()
        if (this.#schema === undefined)
          throw new Error('The factory of a lazy schema returned undefined. It must return the schema.')
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
 * Builds a schema on first use, so that start-up only registers names and modules may refer to each other.
 * @__NO_SIDE_EFFECTS__
 */
export function lazySchema<S extends StandardSchema>(factory: () => S): LazySchema<S> {
  return new LazySchema(factory)
}

/** Returns the schema that a lazy schema builds. Any other schema is returned unchanged. */
export function resolveSchema(schema: StandardSchema): StandardSchema {
  return schema instanceof LazySchema ? schema.schema : schema
}
