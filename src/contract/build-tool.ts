import { checkTool } from './check-tool.js'
import { DEFAULT_MAX_RESULT_SIZE_CHARS, TOOL_SUMMARY_MAX_LENGTH } from './limits.js'
import { textResult } from './messages.js'
import type { PortName } from './ports/index.js'
import type { ObjectSchema } from './schema.js'
import type { DescriptionOptions, PromptOptions, Tool } from './tool.js'
import type { AnyObjectSchema, BuiltTool, CheckedDef, DefaultableMember, ToolDef, ToolDefaults } from './tool-def.js'

/**
 * Makes a tool of a definition. What the author forgets costs speed, never safety.
 * @__NO_SIDE_EFFECTS__
 */
export function buildTool<
  Input extends ObjectSchema = AnyObjectSchema,
  Output = unknown,
  Progress = unknown,
  Needs extends PortName = never,
  const D = unknown,
>(definition: D & ToolDef<Input, Output, Progress, string, Needs> & CheckedDef<D>): BuiltTool<D> {
  const given = withoutUndefined(definition as object)
  // Twenty times faster here than spreading, which matters where thousands of tools come over protocols.
  const tool = Object.assign({}, FIXED_DEFAULTS, defaultsFor(given), given, textsOf(given))
  checkTool(tool)
  return Object.freeze(tool) as BuiltTool<D>
}

/** Whether a member is the one that `buildTool` filled in: a default `checkPermissions` is no opinion of the tool. */
export function hasDefault<K extends DefaultedMember>(tool: Pick<Tool, K>, member: K): boolean {
  return Object.is(tool[member], FIXED_DEFAULTS[member])
}

type DefaultedMember = keyof typeof FIXED_DEFAULTS & keyof Tool

const anyObject: AnyObjectSchema = {
  '~standard': {
    version: 1,
    vendor: 'haft',
    validate: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { value: value as Record<string, unknown> }
        : { issues: [{ message: 'Expected an object' }] },
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
  },
}

/** Declared without parameters on purpose: a predicate that takes none is one that does not depend on the input. */
const FIXED_DEFAULTS = {
  inputSchema: anyObject,
  isEnabled: () => true,
  isConcurrencySafe: () => false,
  isReadOnly: () => false,
  isDestructive: () => false,
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  toAutoClassifierInput: () => '',
  mapToolResultToToolResultBlockParam: (output, toolUseId) =>
    textResult(toolUseId, typeof output === 'string' ? output : (JSON.stringify(output) ?? '')),
  maxResultSizeChars: DEFAULT_MAX_RESULT_SIZE_CHARS,
} satisfies Partial<ToolDefaults>

/** A definition as data: what its types promise is checked again by `checkTool`, for callers without types. */
type LooseDefinition = Partial<Record<DefaultableMember | 'name' | 'getToolUseSummary', any>>

function withoutUndefined(definition: object): LooseDefinition {
  const values = Object.values(definition)
  if (!values.includes(undefined)) return definition
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined))
}

/** The defaults that depend on the rest of the definition. */
function defaultsFor(given: LooseDefinition): Pick<ToolDefaults, 'userFacingName' | 'renderToolUseMessage'> {
  const name = String(given.name)
  return {
    userFacingName: () => name,
    renderToolUseMessage(input) {
      const summary = given.getToolUseSummary?.(input) ?? firstText(input)
      return summary === undefined ? name : `${name}(${shorten(summary)})`
    },
  }
}

function textsOf(given: LooseDefinition): Partial<Record<'description' | 'prompt', unknown>> {
  const description = asFunction(given.description)
  const prompt = asFunction(given.prompt)
  return {
    description: description ?? prompt,
    prompt: prompt ?? (typeof given.description === 'function' ? promptFrom(given.description) : description),
  }
}

function asFunction(text: unknown): unknown {
  return typeof text === 'string' ? () => text : text
}

/** A description that depends on the input is asked with an empty one. */
function promptFrom(description: (input: object, options: DescriptionOptions) => unknown) {
  return (options: PromptOptions) => description({}, { ...options, isNonInteractiveSession: true })
}

function firstText(input: object): string | undefined {
  return Object.values(input).find((value) => typeof value === 'string' && value !== '')
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= TOOL_SUMMARY_MAX_LENGTH
    ? line
    : `${characters.slice(0, TOOL_SUMMARY_MAX_LENGTH - 1).join('')}…`
}
