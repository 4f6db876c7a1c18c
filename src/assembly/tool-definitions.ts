import { isToolDefinitionError, ToolDefinitionError } from '../contract/errors.js'
import type { ToolDefinition } from '../contract/messages.js'
import { isTooDeep } from '../contract/schema.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import type { PromptOptions, Tool, Tools } from '../contract/tool/tool.js'
import { watchAccess } from '../contract/tool/watch-access.js'
import { isThenable, type MaybePromise } from '../shared/maybe-promise.js'
import { reasonOf } from '../shared/reason-of.js'
import { waitAtMost } from '../shared/waiting.js'

/** The definitions sent for a pool, and the tools that had to be left out. */
export interface PoolDefinitions {
  readonly definitions: readonly ToolDefinition[]
  /** One error for each tool that could not be described. The other tools are not affected. */
  readonly problems: readonly ToolDefinitionError[]
}

type DefinitionOptions = Omit<PromptOptions, 'tools'>

interface CachedPool {
  readonly options: DefinitionOptions
  readonly result: Promise<PoolDefinitions>
}

/** Cache by pool. Only frozen pools are cached, because others could change. */
const cacheByPool = new WeakMap<Tools, CachedPool>()
/** Cache of definitions that depend only on the tool, so that a new server costs only its own tools. */
const definitionByTool = new WeakMap<Tool, ToolDefinition>()

/** Tools whose prompt timed out, with the error. Each runtime has its own: a tool may be slow in one and not in another. */
export type TimedOutTools = WeakMap<Tool, ToolDefinitionError>

const PROMPT_TIMEOUT_MS = 10_000

/**
 * Returns the definitions of a pool, in its order. The same frozen pool and options return the same promise. A tool
 * whose prompt times out is added to `timedOutTools`; its prompt is not requested again while it is in that map.
 */
export function toolDefinitions(
  pool: Tools,
  options: DefinitionOptions,
  timedOutTools: TimedOutTools = new WeakMap(),
): Promise<PoolDefinitions> {
  const cachedPool = cacheByPool.get(pool)
  if (cachedPool !== undefined && areSameOptions(cachedPool.options, options)) return cachedPool.result
  const result = definePool(pool, { ...options, tools: pool }, timedOutTools)
  if (Object.isFrozen(pool)) cachePool(pool, options, result)
  return result
}

/** Caches the definitions, but not those of a pool with problems, because a problem may be temporary. */
function cachePool(pool: Tools, options: DefinitionOptions, result: Promise<PoolDefinitions>): void {
  const entry = { options, result }
  cacheByPool.set(pool, entry)
  result.then(({ problems }) => {
    if (problems.length > 0 && cacheByPool.get(pool) === entry) cacheByPool.delete(pool)
  })
}

function areSameOptions(a: DefinitionOptions, b: DefinitionOptions): boolean {
  return a.toolPermissionContext === b.toolPermissionContext && a.agentDefinitions === b.agentDefinitions
}

async function definePool(pool: Tools, options: PromptOptions, timedOutTools: TimedOutTools): Promise<PoolDefinitions> {
  const results = pool.map((tool) => defineTool(tool, options, timedOutTools))
  const definitions: ToolDefinition[] = []
  const problems: ToolDefinitionError[] = []
  for (const result of results) {
    // Most prompts are plain strings: awaiting every one would cost more than creating the definitions.
    const definition = result instanceof Promise ? await result : result
    if (definition instanceof Error) problems.push(definition)
    else definitions.push(definition)
  }
  return Object.freeze({ definitions: Object.freeze(definitions), problems: Object.freeze(problems) })
}

function defineTool(
  tool: Tool,
  options: PromptOptions,
  timedOutTools: TimedOutTools,
): MaybePromise<ToolDefinition | ToolDefinitionError> {
  const cachedDefinition = definitionByTool.get(tool) ?? timedOutTools.get(tool)
  if (cachedDefinition !== undefined) return cachedDefinition
  try {
    const watchedOptions = watchAccess(options)
    const text: unknown = tool.prompt(watchedOptions.value)
    const finish = (description: unknown) => createDefinition(tool, description, !watchedOptions.wasRead())
    return isThenable(text)
      ? awaitPrompt(tool, text, timedOutTools)
          .then(finish)
          .catch((error) => toProblem(tool, error))
      : finish(text)
  } catch (error) {
    return toProblem(tool, error)
  }
}

/** Awaits a prompt within a time limit: one that never resolves must not block the others, and is awaited only once. */
async function awaitPrompt(tool: Tool, text: PromiseLike<unknown>, timedOutTools: TimedOutTools): Promise<unknown> {
  const result = await waitAtMost(PROMPT_TIMEOUT_MS, Promise.resolve(text))
  if (result !== undefined) return result.value
  const problem = toProblem(tool, new Error(`it returned no text within ${PROMPT_TIMEOUT_MS / 1000} s`))
  timedOutTools.set(tool, problem)
  throw problem
}

function createDefinition(tool: Tool, description: unknown, isConstant: boolean): ToolDefinition {
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
  if (isConstant) definitionByTool.set(tool, definition)
  return definition
}

function toProblem(tool: Tool, error: unknown): ToolDefinitionError {
  if (isToolDefinitionError(error)) return error
  const reason = reasonOf(error)
  return new ToolDefinitionError('member_invalid', tool.name, 'prompt', `failed: ${reason}`, { cause: error })
}
