import { ToolDefinitionError } from '../contract/errors.js'
import { inputJSONSchemaOf } from '../contract/input-json-schema.js'
import type { ToolDefinition } from '../contract/messages.js'
import type { PromptOptions, Tool, Tools } from '../contract/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'

/** What a model is told about a pool, and which tools had to be left out of it. */
export interface PoolDefinitions {
  readonly definitions: readonly ToolDefinition[]
  /** One error for each tool that could not be described; the others are unharmed. */
  readonly problems: readonly ToolDefinitionError[]
}

type DefinitionOptions = Omit<PromptOptions, 'tools'>

interface Known {
  readonly options: DefinitionOptions
  readonly made: Promise<PoolDefinitions>
}

const byPool = new WeakMap<Tools, Known>()
/** Definitions that depend on the tool alone; a server that comes costs only what its own tools cost. */
const byTool = new WeakMap<Tool, ToolDefinition>()

/** The definitions of a pool in its order. The same pool and options give the same object. */
export function toolDefinitions(pool: Tools, options: DefinitionOptions): Promise<PoolDefinitions> {
  const known = byPool.get(pool)
  if (known !== undefined && sameOptions(known.options, options)) return known.made
  const made = define(pool, { ...options, tools: pool })
  if (Object.isFrozen(pool)) byPool.set(pool, { options, made })
  return made
}

function sameOptions(a: DefinitionOptions, b: DefinitionOptions): boolean {
  return a.toolPermissionContext === b.toolPermissionContext && a.agentDefinitions === b.agentDefinitions
}

async function define(pool: Tools, options: PromptOptions): Promise<PoolDefinitions> {
  const definitions: ToolDefinition[] = []
  const problems: ToolDefinitionError[] = []
  for (const tool of pool) {
    try {
      const definition = byTool.get(tool) ?? defineTool(tool, options)
      // Most prompts are plain text: waiting for each would cost more than making them.
      definitions.push(definition instanceof Promise ? await definition : definition)
    } catch (error) {
      problems.push(asProblem(tool, error))
    }
  }
  return Object.freeze({ definitions: Object.freeze(definitions), problems: Object.freeze(problems) })
}

function defineTool(tool: Tool, options: PromptOptions): MaybePromise<ToolDefinition> {
  const description = tool.prompt(options)
  return typeof description === 'string'
    ? describedTool(tool, description)
    : Promise.resolve(description).then((text) => describedTool(tool, text))
}

function describedTool(tool: Tool, description: string): ToolDefinition {
  if (typeof description !== 'string') throw new Error('it must give text')
  const definition: ToolDefinition = {
    name: tool.name,
    description,
    input_schema: inputJSONSchemaOf(tool),
    ...(tool.strict !== undefined && { strict: tool.strict }),
  }
  if (tool.prompt.length === 0) byTool.set(tool, definition)
  return definition
}

function asProblem(tool: Tool, error: unknown): ToolDefinitionError {
  if (error instanceof ToolDefinitionError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new ToolDefinitionError('member_invalid', tool.name, 'prompt', `failed: ${reason}`, { cause: error })
}
