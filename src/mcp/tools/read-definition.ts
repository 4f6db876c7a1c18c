import type { JsonSchema } from '../../contract/schema.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { estimateJsonSize, isDeeperThan } from '../../shared/json-size.js'
import { quote } from '../../shared/quote.js'
import { findHeaderProblem, findInputSchemaProblem, findSchemaProblem } from './schema-problem.js'
import { MAX_DESCRIPTION_CHARS, toPlainLine, toPlainText } from './to-plain-line.js'

const MAX_TITLE_CHARS = 80
const MAX_SEARCH_HINT_CHARS = 120

const MAX_NAME_CHARS = 256
/** More deeply nested schemas could overflow the stack. Real schemas stay below a third of this. */
const MAX_DEPTH = 100
const MAX_DEFINITION_CHARS = 512 * 1024

/** A validated tool definition of a server. */
export interface McpToolDefinition {
  /** The name that the server uses. */
  readonly name: string
  readonly title?: string
  readonly description: string
  /** The schema as the server sent it. */
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly hints: {
    readonly readOnly: boolean
    readonly destructive: boolean
    readonly openWorld: boolean
  }
  readonly searchHint?: string
  readonly alwaysLoad: boolean
  /** Whether the tool must be called as a task: one request starts it, and another waits for the result. */
  readonly isTask: boolean
}

/** An entry of a tool list that cannot be used, with the reason. */
export interface RefusedDefinition {
  readonly name: string
  readonly reason: string
}

/** The valid and the refused entries of a tool list. */
export interface ParsedDefinitions {
  readonly definitions: readonly McpToolDefinition[]
  readonly refused: readonly RefusedDefinition[]
}

/** Validates a tool list entry by entry. Invalid entries are refused with a reason and do not affect the others. */
export function readDefinitions(entries: readonly unknown[]): ParsedDefinitions {
  const definitions = new Map<string, McpToolDefinition>()
  const refusedDefinitions: RefusedDefinition[] = []
  for (const entry of entries) {
    const name = isRecord(entry) && typeof entry.name === 'string' ? entry.name : ''
    const problem =
      findEntryProblem(entry, name) ??
      (definitions.has(name) ? 'the server has another tool with this name' : undefined)
    if (problem === undefined) definitions.set(name, readEntry(entry as ToolEntry))
    else
      refusedDefinitions.push({ name: name === '' ? '(no name)' : toPlainLine(name, MAX_TITLE_CHARS), reason: problem })
  }
  return { definitions: [...definitions.values()], refused: refusedDefinitions }
}

type ToolEntry = Readonly<Record<string, unknown>> & { readonly name: string; readonly inputSchema: JsonSchema }

function findEntryProblem(entry: unknown, name: string): string | undefined {
  if (!isRecord(entry)) return 'it is not an object'
  if (isDeeperThan(entry, MAX_DEPTH)) return `it is nested more than ${MAX_DEPTH} levels deep`
  if (name === '') return 'it has no name'
  if (name.length > MAX_NAME_CHARS) return `its name has more than ${MAX_NAME_CHARS} characters`
  if (toPlainLine(name, MAX_NAME_CHARS) !== name) return 'its name contains invisible characters'
  const { description, inputSchema, outputSchema } = entry
  if (description !== undefined && typeof description !== 'string') return 'its description is not a string'
  const problem =
    findInputSchemaProblem(inputSchema) ?? findOutputSchemaProblem(outputSchema) ?? findHeaderProblem(inputSchema)
  if (problem !== undefined) return problem
  const size = estimateJsonSize(inputSchema)
  return size > MAX_DEFINITION_CHARS
    ? `its input schema has about ${size} characters; the limit is ${MAX_DEFINITION_CHARS}`
    : undefined
}

function findOutputSchemaProblem(schema: unknown): string | undefined {
  if (schema === undefined) return undefined
  const problem = isRecord(schema) ? findSchemaProblem(schema) : `its schema is ${quote(schema)}`
  return problem === undefined ? undefined : `output schema: ${problem}`
}

function readEntry(entry: ToolEntry): McpToolDefinition {
  const { name, inputSchema, outputSchema, description } = entry
  const annotations = isRecord(entry.annotations) ? entry.annotations : {}
  const meta = isRecord(entry._meta) ? entry._meta : {}
  const title = entry.title ?? annotations.title
  const hint = meta['anthropic/searchHint']
  const readOnly = annotations.readOnlyHint === true
  return {
    name,
    description: shortenText(toPlainText(typeof description === 'string' ? description : ''), MAX_DESCRIPTION_CHARS),
    inputSchema,
    hints: {
      readOnly,
      // A missing hint counts as the worst case.
      destructive: annotations.destructiveHint === undefined ? !readOnly : annotations.destructiveHint !== false,
      openWorld: annotations.openWorldHint !== false,
    },
    isTask: isRecord(entry.execution) && entry.execution.taskSupport === 'required',
    alwaysLoad: meta['anthropic/alwaysLoad'] === true,
    ...(isRecord(outputSchema) && { outputSchema }),
    ...(typeof title === 'string' && title.trim() !== '' && { title: toPlainLine(title, MAX_TITLE_CHARS) }),
    ...(typeof hint === 'string' && hint.trim() !== '' && { searchHint: toPlainLine(hint, MAX_SEARCH_HINT_CHARS) }),
  }
}
