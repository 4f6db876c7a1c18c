import type { MaybePromise } from '../shared/maybe-promise.js'
import type { JsonSchema } from './json-schema.js'
import type { ToolResultBlock } from './messages.js'
import type { PermissionAllow } from './permission-result.js'
import type { PortName } from './ports/index.js'
import type { ObjectSchema } from './schema.js'
import type { DescriptionOptions, PromptOptions, Tool, ToolExecution } from './tool.js'

/** The input of a tool that brings only JSON Schema: any object, until that schema has checked it. */
export type AnyObjectSchema = ObjectSchema<Record<string, unknown>>

/** What an author writes: a `Tool` in which everything that has a default may be left out. */
export type ToolDef<
  Input extends ObjectSchema = ObjectSchema<any>,
  Output = any,
  Progress = any,
  Node = string,
  Needs extends PortName = never,
> = Omit<Tool<Input, Output, Progress, Node, Needs>, DefaultableMember | 'needs'> & {
  readonly needs?: readonly Needs[]
} & Partial<Pick<Tool<Input, Output, Progress, Node, Needs>, Exclude<DefaultableMember, SpecialMember>>> &
  DescribedDef<Input, Output, Progress, Needs> &
  SchemaDef<Input>

/** One of the two texts is enough: each stands in for the other. Either may be plain text. */
type DescribedDef<Input extends ObjectSchema, Output, Progress, Needs extends PortName> =
  | {
      readonly description: Text<Input, Output, Progress, Needs, 'description'>
      readonly prompt?: Text<Input, Output, Progress, Needs, 'prompt'>
    }
  | {
      readonly description?: Text<Input, Output, Progress, Needs, 'description'>
      readonly prompt: Text<Input, Output, Progress, Needs, 'prompt'>
    }

type Text<Input extends ObjectSchema, Output, Progress, Needs extends PortName, K extends 'description' | 'prompt'> =
  | string
  | ToolExecution<NonNullable<Input['~standard']['types']>['output'], Output, Progress, Needs>[K]

/** A schema of any library that follows the standard, or JSON Schema as it came. */
type SchemaDef<Input extends ObjectSchema> =
  | { readonly inputSchema: Input; readonly inputJSONSchema?: JsonSchema }
  | { readonly inputSchema?: Input; readonly inputJSONSchema: JsonSchema }

/** What only the literal types of a definition can tell: a misspelt member, a name that providers refuse. */
export type CheckedDef<D> = { readonly [K in Exclude<keyof D, keyof Tool>]: never } & (D extends {
  readonly name: infer Name extends string
}
  ? IsToolName<Name> extends true
    ? unknown
    : { readonly name: 'a tool name is 1 to 64 letters, digits, "_" or "-"' }
  : unknown)

type IsToolName<Name extends string> = string extends Name ? true : Name extends '' ? false : HasNameCharacters<Name>

type HasNameCharacters<Rest extends string, Seen extends 0[] = []> = Rest extends `${infer First}${infer Others}`
  ? Seen['length'] extends 64
    ? false
    : First extends NameCharacter | Uppercase<NameCharacter>
      ? HasNameCharacters<Others, [...Seen, 0]>
      : false
  : true

type NameCharacter = CharacterOf<'abcdefghijklmnopqrstuvwxyz0123456789_-'>

type CharacterOf<Text extends string> = Text extends `${infer First}${infer Others}`
  ? First | CharacterOf<Others>
  : never

type SpecialMember = 'description' | 'prompt' | 'inputSchema'
export type DefaultableMember = keyof ToolDefaults

/** The types of what `buildTool` fills in. */
export interface ToolDefaults {
  readonly inputSchema: AnyObjectSchema
  readonly description: (input: unknown, options: DescriptionOptions) => MaybePromise<string>
  readonly prompt: (options: PromptOptions) => MaybePromise<string>
  readonly isEnabled: () => true
  readonly isConcurrencySafe: (input?: unknown) => false
  readonly isReadOnly: (input?: unknown) => false
  readonly isDestructive: (input?: unknown) => false
  readonly checkPermissions: <Args>(input: Args, context?: unknown) => PermissionAllow<Args>
  readonly toAutoClassifierInput: (input?: unknown) => ''
  readonly userFacingName: (input?: unknown) => string
  readonly renderToolUseMessage: (input: object, options?: unknown) => string
  readonly mapToolResultToToolResultBlockParam: (output: unknown, toolUseId: string) => ToolResultBlock
  readonly maxResultSizeChars: 50_000
}

/**
 * As exact as the value: what `D` gives keeps its own type, what it leaves out has the default's,
 * and nothing that has a default is ever optional.
 */
export type BuiltTool<D> = {
  readonly [K in keyof D as K extends DefaultableMember ? never : K]: D[K]
} & {
  readonly [K in DefaultableMember]: K extends keyof D ? Given<D[K], ToolDefaults[K]> : ToolDefaults[K]
}

type Given<Value, Default> = Value extends string
  ? () => Value
  : undefined extends Value
    ? Exclude<Value, undefined> | Default
    : Value
