import type { JsonSchema } from './json-schema.js'

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
