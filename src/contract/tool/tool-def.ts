import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { ToolResultBlock } from '../messages.js'
import type { PermissionAllow } from '../permission/result.js'
import type { PortName } from '../ports/index.js'
import type { InferOutput, JsonSchema, ObjectSchema, StandardSchema } from '../schema.js'
import type { View } from '../views.js'
import type { DescriptionOptions, PromptOptions, Tool } from './tool.js'

/** The input schema of a tool that has only JSON Schema: accepts any object, which is then checked by that schema. */
export type AnyObjectSchema = ObjectSchema<Record<string, unknown>>

/** The definition that an author writes: a `Tool` in which every member with a default is optional. */
export type ToolDef<
  Input extends ObjectSchema = ObjectSchema<any>,
  Output = any,
  Progress = any,
  Needs extends PortName = never,
> = Omit<Tool<Input, Output, Progress, NoInfer<Needs>>, DefaultableMember | WrittenMember> &
  Partial<Pick<Tool<Input, Output, Progress, NoInfer<Needs>>, Exclude<DefaultableMember, WrittenMember>>> &
  WrittenMembers<Input, Needs>

/** Members whose type in a definition differs from the type in `Tool`. */
type WrittenMembers<Input extends ObjectSchema, Needs extends PortName> = {
  readonly needs?: readonly Needs[]
} & WrittenTexts<Input> &
  WrittenSchemas<Input>

/** `description` or `prompt` is enough: each is the default of the other. */
type WrittenTexts<Input extends ObjectSchema> =
  | { readonly description: Description<Input>; readonly prompt?: Prompt }
  | { readonly description?: Description<Input>; readonly prompt: Prompt }

type Description<Input extends ObjectSchema> =
  | string
  | ((input: InferOutput<Input>, options: DescriptionOptions) => MaybePromise<string>)

type Prompt = string | ((options: PromptOptions) => MaybePromise<string>)

/** A Standard Schema of any library, or JSON Schema. */
type WrittenSchemas<Input extends ObjectSchema> =
  | { readonly inputSchema: Input; readonly inputJSONSchema?: JsonSchema }
  | { readonly inputSchema?: Input; readonly inputJSONSchema: JsonSchema }

type WrittenMember = 'needs' | 'description' | 'prompt' | 'inputSchema'

/** Checks that need the exact type of a definition: misspelt members, invalid names, JSON Schema that is not an object. */
export type CheckedDef<D> = {
  readonly [K in keyof D]: K extends 'name'
    ? CheckedName<D[K]>
    : K extends 'inputJSONSchema'
      ? CheckedJsonSchema<D[K]>
      : K extends 'call'
        ? CheckedCall<D, D[K]>
        : K extends keyof Tool
          ? unknown
          : never
}

/** Rejects a `call` whose annotation uses a port that is not in `needs`, or a result that the output schema does not describe. */
type CheckedCall<D, Call> = Call extends (
  args: any,
  context: infer Context,
  ...rest: any[]
) => Promise<{ readonly data: infer Data }>
  ? Extract<keyof Context, PortName> extends NeedsOf<D>
    ? Data extends OutputOf<D>
      ? unknown
      : 'the data that call returns does not match the output schema'
    : 'call uses a port that is not listed in needs'
  : unknown

type NeedsOf<D> = D extends { readonly needs: readonly (infer Port)[] } ? Port : never

type OutputOf<D> = D extends { readonly outputSchema: infer Schema extends StandardSchema }
  ? InferOutput<Schema>
  : unknown

type CheckedName<Name> = Name extends string
  ? IsToolName<Name> extends true
    ? unknown
    : 'a tool name is 1 to 64 letters, digits, "_" or "-"'
  : unknown

type CheckedJsonSchema<Schema> = Schema extends { readonly type: infer Type extends string }
  ? 'object' extends Type
    ? unknown
    : { readonly type: 'object' }
  : unknown

type IsToolName<Name extends string> = string extends Name ? true : Name extends '' ? false : HasNameCharacters<Name>

/** A part that is known only at run time, as in `mcp__${string}`, is checked at run time. */
type HasNameCharacters<Rest extends string, Seen extends 0[] = []> = Rest extends `${infer First}${infer Others}`
  ? Seen['length'] extends 64
    ? false
    : First extends NameCharacter | Uppercase<NameCharacter>
      ? HasNameCharacters<Others, [...Seen, 0]>
      : IsKnown<First> extends true
        ? false
        : true
  : true

type IsKnown<Text extends string> = Record<never, 0> extends Record<Text, 0> ? false : true

type NameCharacter = CharacterOf<'abcdefghijklmnopqrstuvwxyz0123456789_-'>

type CharacterOf<Text extends string> = Text extends `${infer First}${infer Others}`
  ? First | CharacterOf<Others>
  : never

type DefaultableMember = keyof ToolDefaults

/** The types of the defaults that `buildTool` fills in. */
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
  readonly renderToolUseMessage: (input: object, options?: unknown) => View
  readonly mapToolResultToToolResultBlockParam: (output: unknown, toolUseId: string) => ToolResultBlock
  readonly maxResultSizeChars: 50_000
}

/**
 * The exact type of a built tool: a member of `D` keeps its own type, a member that `D` omits has the type of the
 * default, and no member with a default is optional.
 */
export type BuiltTool<D> = {
  readonly [K in keyof D as K extends DefaultableMember ? never : K]: D[K]
} & {
  readonly [K in DefaultableMember]: K extends keyof D ? MemberOrDefault<D[K], ToolDefaults[K]> : ToolDefaults[K]
}

type MemberOrDefault<Value, Default> = Value extends string
  ? () => Value
  : undefined extends Value
    ? Exclude<Value, undefined> | Default
    : Value
