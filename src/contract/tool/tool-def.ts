import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { ToolResultBlock } from '../messages.js'
import type { PermissionAllow } from '../permission/result.js'
import type { PortName } from '../ports/index.js'
import type { InferOutput, JsonSchema, ObjectSchema, StandardSchema } from '../schema.js'
import type { DescriptionOptions, PromptOptions, Tool } from './tool.js'

/** The input of a tool that brings only JSON Schema: any object, until that schema has checked it. */
export type AnyObjectSchema = ObjectSchema<Record<string, unknown>>

/** What an author writes: a `Tool` in which everything that has a default may be left out. */
export type ToolDef<
  Input extends ObjectSchema = ObjectSchema<any>,
  Output = any,
  Progress = any,
  Node = string,
  Needs extends PortName = never,
> = Omit<Tool<Input, Output, Progress, Node, NoInfer<Needs>>, DefaultableMember | WrittenMember> &
  Partial<Pick<Tool<Input, Output, Progress, Node, NoInfer<Needs>>, Exclude<DefaultableMember, WrittenMember>>> &
  WrittenMembers<Input, Needs>

/** What may be written in another form than the tool has it. */
type WrittenMembers<Input extends ObjectSchema, Needs extends PortName> = {
  readonly needs?: readonly Needs[]
} & WrittenTexts<Input> &
  WrittenSchemas<Input>

/** One of the two is enough: each stands in for the other. */
type WrittenTexts<Input extends ObjectSchema> =
  | { readonly description: Description<Input>; readonly prompt?: Prompt }
  | { readonly description?: Description<Input>; readonly prompt: Prompt }

type Description<Input extends ObjectSchema> =
  | string
  | ((input: InferOutput<Input>, options: DescriptionOptions) => MaybePromise<string>)

type Prompt = string | ((options: PromptOptions) => MaybePromise<string>)

/** A schema of any library that follows the standard, or JSON Schema as it came. */
type WrittenSchemas<Input extends ObjectSchema> =
  | { readonly inputSchema: Input; readonly inputJSONSchema?: JsonSchema }
  | { readonly inputSchema?: Input; readonly inputJSONSchema: JsonSchema }

type WrittenMember = 'needs' | 'description' | 'prompt' | 'inputSchema'

/** What only the exact type of a definition can tell: a misspelt member, a name that providers refuse, JSON Schema of no object. */
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

/** An annotation may ask for a port that is not among the needs, or a result that the output schema does not describe. */
type CheckedCall<D, Call> = Call extends (
  args: any,
  context: infer Context,
  ...rest: any[]
) => Promise<{ readonly data: infer Data }>
  ? Extract<keyof Context, PortName> extends NeedsOf<D>
    ? Data extends OutputOf<D>
      ? unknown
      : 'the data of call do not fit the output schema'
    : 'call takes a port that needs does not name'
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

/** A part that is only known at run time, as in `mcp__${string}`, is left to the check there. */
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
