import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { ToolDefinitionError } from '../errors.js'
import { PORT_NAMES } from '../ports/index.js'
import { describesObject, type JsonSchema, LazySchema } from '../schema.js'
import { TOOL_NAME } from './identity.js'

/** A tool whose members may have any type, as in JavaScript code. */
type UncheckedTool = Readonly<Record<string, unknown>>

/** Throws a `ToolDefinitionError` that names the tool and the member if the definition is invalid. */
export function checkTool(tool: object): void {
  const uncheckedTool = tool as UncheckedTool
  const name = typeof uncheckedTool.name === 'string' ? uncheckedTool.name : '(no name)'
  checkNames(uncheckedTool, name)
  checkMembers(uncheckedTool, name)
  checkSchemas(uncheckedTool, name)
  checkOrigin(uncheckedTool, name)
}

function checkNames(tool: UncheckedTool, toolName: string): void {
  if (typeof tool.name !== 'string') throw createMissingMemberError(toolName, 'name', 'a string')
  if (!TOOL_NAME.test(tool.name)) throw createInvalidNameError(toolName, 'name', tool.name)
  if (tool.aliases === undefined) return
  if (!Array.isArray(tool.aliases)) throw createInvalidMemberError(toolName, 'aliases', 'must be a list of names')
  for (const alias of tool.aliases) {
    if (typeof alias !== 'string' || !TOOL_NAME.test(alias)) throw createInvalidNameError(toolName, 'aliases', alias)
  }
}

function checkMembers(tool: UncheckedTool, toolName: string): void {
  for (const [member, kind] of REQUIRED_MEMBERS) {
    if (tool[member] === undefined) throw createMissingMemberError(toolName, member, kind)
    if (typeof tool[member] !== kind)
      throw createInvalidMemberError(toolName, member, `must be a ${kind}, not ${describeKind(tool[member])}`)
  }
  if (Number.isNaN(tool.maxResultSizeChars) || Number(tool.maxResultSizeChars) <= 0) {
    throw createInvalidMemberError(
      toolName,
      'maxResultSizeChars',
      `must be more than 0, not ${tool.maxResultSizeChars}`,
    )
  }
  for (const member of OPTIONAL_FUNCTIONS) {
    if (tool[member] !== undefined && typeof tool[member] !== 'function') {
      throw createInvalidMemberError(toolName, member, `must be a function, not ${describeKind(tool[member])}`)
    }
  }
  checkNeeds(tool.needs, toolName)
}

/** If `description` and `prompt` are both missing, the description is reported, because each is the default of the other. */
const REQUIRED_MEMBERS = Object.entries({
  call: 'function',
  description: 'function',
  prompt: 'function',
  isEnabled: 'function',
  isReadOnly: 'function',
  isConcurrencySafe: 'function',
  isDestructive: 'function',
  checkPermissions: 'function',
  userFacingName: 'function',
  toAutoClassifierInput: 'function',
  renderToolUseMessage: 'function',
  mapToolResultToToolResultBlockParam: 'function',
  maxResultSizeChars: 'number',
})

/** Optional members whose absence has a meaning: a value of the wrong type must not count as absent. */
const OPTIONAL_FUNCTIONS = [
  'command',
  'connectsOnlyTo',
  'validateInput',
  'getPath',
  'preparePermissionMatcher',
  'getWebTarget',
  'isOpenWorld',
  'interruptBehavior',
  'requiresUserInteraction',
  'resources',
  'timeoutMs',
  'backfillObservableInput',
  'inputsEquivalent',
] as const

function checkNeeds(needs: unknown, toolName: string): void {
  if (needs === undefined) return
  if (!Array.isArray(needs)) throw createInvalidMemberError(toolName, 'needs', 'must be a list of ports')
  for (const port of needs) {
    if (!(PORT_NAMES as readonly unknown[]).includes(port)) {
      throw createInvalidMemberError(
        toolName,
        'needs',
        `names the unknown port ${quote(port)}; use any of ${PORT_NAMES.join(', ')}`,
      )
    }
  }
}

/** Checks the schemas. Lazy schemas are checked on first use, because building them here would slow down every start. */
function checkSchemas(tool: UncheckedTool, toolName: string): void {
  if (tool.inputSchema === undefined) throw createMissingMemberError(toolName, 'inputSchema', 'a schema')
  if (!isStandardSchema(tool.inputSchema))
    throw createInvalidMemberError(
      toolName,
      'inputSchema',
      isJsonSchema(tool.inputSchema)
        ? 'is a JSON Schema; pass it as inputJSONSchema, without inputSchema'
        : 'must be a Standard Schema, such as a Zod schema',
    )
  if (tool.outputSchema !== undefined && !isStandardSchema(tool.outputSchema)) {
    throw createInvalidMemberError(toolName, 'outputSchema', 'must be a Standard Schema, such as a Zod schema')
  }
  if (tool.inputJSONSchema !== undefined) checkJSONSchema(tool.inputJSONSchema, toolName)
}

function isJsonSchema(schema: unknown): boolean {
  return isRecord(schema) && (typeof schema.type === 'string' || isRecord(schema.properties) || '$schema' in schema)
}

function checkJSONSchema(schema: unknown, toolName: string): void {
  if (typeof schema !== 'object' || schema === null || !describesObject(schema as JsonSchema)) {
    throw new ToolDefinitionError(
      'schema_not_object',
      toolName,
      'inputJSONSchema',
      'must describe an object ("type": "object" at its root).',
    )
  }
}

function isStandardSchema(schema: unknown): boolean {
  if (schema instanceof LazySchema) return true
  const isObject = (typeof schema === 'object' || typeof schema === 'function') && schema !== null
  if (!isObject) return false
  const standardSchema = (schema as { '~standard'?: { validate?: unknown } | null })['~standard']
  return typeof standardSchema?.validate === 'function'
}

/**
 * Checks the origin of a tool. Rules refer to an MCP tool by its server, so a tool that does not name its server could not be
 * denied. An alias could take over the name of a built-in tool.
 */
function checkOrigin(tool: UncheckedTool, toolName: string): void {
  if (tool.isMcp !== true && tool.mcpInfo === undefined) return
  if (tool.isMcp !== true) throw createInvalidMemberError(toolName, 'isMcp', 'must be true if mcpInfo is set')
  if (tool.aliases !== undefined)
    throw createInvalidMemberError(toolName, 'aliases', 'are not supported for MCP tools; remove them')
  const info = tool.mcpInfo as { serverName?: unknown; toolName?: unknown } | null | undefined
  if (typeof info?.serverName !== 'string' || typeof info.toolName !== 'string') {
    throw createInvalidMemberError(
      toolName,
      'mcpInfo',
      'must name the server and the tool, or no permission rule can match this tool',
    )
  }
}

function createMissingMemberError(toolName: string, member: string, kind: string): ToolDefinitionError {
  return new ToolDefinitionError(
    'member_missing',
    toolName,
    member,
    `is missing; it must be ${/^an? /.test(kind) ? kind : `a ${kind}`}.`,
  )
}

function createInvalidMemberError(toolName: string, member: string, problem: string): ToolDefinitionError {
  return new ToolDefinitionError('member_invalid', toolName, member, `${problem}.`)
}

function createInvalidNameError(toolName: string, member: string, name: unknown): ToolDefinitionError {
  return new ToolDefinitionError(
    'name_invalid',
    toolName,
    member,
    `${quote(name)} must be 1 to 64 letters, digits, "_" or "-".`,
  )
}

function describeKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
