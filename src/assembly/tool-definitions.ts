import { isToolDefinitionError, ToolDefinitionError } from '../contract/errors.js'
import type { ToolDefinition } from '../contract/messages.js'
import { isTooDeep } from '../contract/schema.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import type { PromptOptions, Tool, Tools } from '../contract/tool/tool.js'
import { watchAccess } from '../contract/tool/watch-access.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { reasonOf } from '../shared/reason-of.js'

/** The definitions sent for a pool, and the tools that had to be left out. */
export interface PoolDefinitions {
  readonly definitions: readonly ToolDefinition[]
  /** One error for each tool that could not be described. The others are not affected. */
  readonly problems: readonly ToolDefinitionError[]
}

type DefinitionOptions = Omit<PromptOptions, 'tools'>

interface Known {
  readonly options: DefinitionOptions
  readonly made: Promise<PoolDefinitions>
}

const byPool = new WeakMap<Tools, Known>()
/** Cache of definitions that depend only on the tool, so that a new server costs only its own tools. */
const byTool = new WeakMap<Tool, ToolDefinition>()
/** Tools whose prompt timed out. */
const hanging = new WeakMap<Tool, ToolDefinitionError>()

const PROMPT_LIMIT_MS = 10_000

/** The definitions of a pool, in its order. The same pool and options return the same object. */
export function toolDefinitions(pool: Tools, options: DefinitionOptions): Promise<PoolDefinitions> {
  const known = byPool.get(pool)
  if (known !== undefined && sameOptions(known.options, options)) return known.made
  const made = define(pool, { ...options, tools: pool })
  if (Object.isFrozen(pool)) keep(pool, options, made)
  return made
}

/** A pool with problems is not cached, because the problem may be temporary. */
function keep(pool: Tools, options: DefinitionOptions, made: Promise<PoolDefinitions>): void {
  const entry = { options, made }
  byPool.set(pool, entry)
  made.then(({ problems }) => {
    if (problems.length > 0 && byPool.get(pool) === entry) byPool.delete(pool)
  })
}

function sameOptions(a: DefinitionOptions, b: DefinitionOptions): boolean {
  return a.toolPermissionContext === b.toolPermissionContext && a.agentDefinitions === b.agentDefinitions
}

async function define(pool: Tools, options: PromptOptions): Promise<PoolDefinitions> {
  const made = pool.map((tool) => defineTool(tool, options))
  const definitions: ToolDefinition[] = []
  const problems: ToolDefinitionError[] = []
  for (const each of made) {
    // Most prompts are plain strings: awaiting each would cost more than creating it.
    const definition = each instanceof Promise ? await each : each
    if (definition instanceof Error) problems.push(definition)
    else definitions.push(definition)
  }
  return Object.freeze({ definitions: Object.freeze(definitions), problems: Object.freeze(problems) })
}

function defineTool(tool: Tool, options: PromptOptions): MaybePromise<ToolDefinition | ToolDefinitionError> {
  const known = byTool.get(tool) ?? hanging.get(tool)
  if (known !== undefined) return known
  try {
    const watched = watchAccess(options)
    const text: unknown = tool.prompt(watched.value)
    const finish = (description: unknown) => describedTool(tool, description, !watched.wasTouched())
    return isThenable(text)
      ? withinLimit(tool, text)
          .then(finish)
          .catch((error) => asProblem(tool, error))
      : finish(text)
  } catch (error) {
    return asProblem(tool, error)
  }
}

/** A prompt that never resolves must not block the others, and is awaited only once. */
function withinLimit(tool: Tool, text: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const problem = asProblem(tool, new Error(`it returned no text within ${PROMPT_LIMIT_MS / 1000} s`))
      hanging.set(tool, problem)
      reject(problem)
    }, PROMPT_LIMIT_MS)
    text.then(resolve, reject)
    Promise.resolve(text)
      .finally(() => clearTimeout(timer))
      .catch(() => {})
  })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

function describedTool(tool: Tool, description: unknown, isConstant: boolean): ToolDefinition {
  if (typeof description !== 'string') throw new Error('it must return a string')
  const input_schema = inputJSONSchemaOf(tool)
  if (isTooDeep(input_schema))
    throw new ToolDefinitionError(
      'schema_not_convertible',
      tool.name,
      'inputJSONSchema',
      'is nested too deeply to be sent.',
    )
  const definition: ToolDefinition = {
    name: tool.name,
    description,
    input_schema,
    ...(tool.strict !== undefined && { strict: tool.strict }),
  }
  if (isConstant) byTool.set(tool, definition)
  return definition
}

function asProblem(tool: Tool, error: unknown): ToolDefinitionError {
  if (isToolDefinitionError(error)) return error
  const reason = reasonOf(error)
  return new ToolDefinitionError('member_invalid', tool.name, 'prompt', `failed: ${reason}`, { cause: error })
}
