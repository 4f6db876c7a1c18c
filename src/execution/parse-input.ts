import { ToolCallError } from '../contract/errors.js'
import type { SchemaIssue } from '../contract/schema.js'
import type { Tool } from '../contract/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { enter, type FoundCall, type Input, type ParsedCall } from './call-states.js'
import { checkSchema, type SchemaCheck } from './check-schema.js'
import { stripInternalFields } from './internal-fields.js'
import { issueLines } from './issue-lines.js'
import { repairInput } from './repair-input.js'

const NO_REPAIRS: readonly string[] = []

/** Whether the model has seen the schema of this tool; a deferred one it may have guessed. */
export type IsSchemaSent = (tool: Tool) => boolean

/** Parses the input by the tool's schema. Waits only where a schema itself is asynchronous. */
export function parseInput(found: FoundCall, isSchemaSent: IsSchemaSent): MaybePromise<ParsedCall> {
  const { tool, toolUse } = found
  const check = checkOrRefuse(tool, toolUse.input)
  if (check instanceof Promise) return check.then((done) => finish(found, toolUse.input, done, isSchemaSent))
  return finish(found, toolUse.input, check, isSchemaSent)
}

function checkOrRefuse(tool: Tool, input: unknown): MaybePromise<SchemaCheck> {
  try {
    const check = checkSchema(tool, input)
    return check instanceof Promise ? check.catch((error) => refuse(tool, error)) : check
  } catch (error) {
    return refuse(tool, error)
  }
}

/** A schema that cannot be built or compiled must not end the conversation. */
function refuse(tool: Tool, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new ToolCallError(
    'input_invalid',
    `InputValidationError: the schema of ${tool.name} cannot be used: ${reason}`,
    { cause },
  )
}

function finish(
  found: FoundCall,
  input: unknown,
  check: SchemaCheck,
  isSchemaSent: IsSchemaSent,
): MaybePromise<ParsedCall> {
  if (check.issues === undefined) return parsed(found, check.value, NO_REPAIRS)
  const { issues } = check
  if (found.tool.strict === true) throw invalidInput(found.tool, issues, input, isSchemaSent)
  return repairInput(found.tool, input, issues).then((repair) => {
    if (repair === undefined) throw invalidInput(found.tool, issues, input, isSchemaSent)
    return parsed(found, repair.value, repair.paths)
  })
}

function parsed({ toolUse, parentMessage, tool }: FoundCall, value: unknown, repairs: readonly string[]): ParsedCall {
  return enter<ParsedCall>({ toolUse, parentMessage, tool, input: stripInternalFields(value as Input), repairs })
}

function invalidInput(
  tool: Tool,
  issues: readonly SchemaIssue[],
  input: unknown,
  isSchemaSent: IsSchemaSent,
): ToolCallError {
  const lines = `InputValidationError: the input of ${tool.name} does not fit its schema:\n${issueLines(issues, input)}`
  if (isSchemaSent(tool)) return new ToolCallError('input_invalid', lines)
  const hint = `The schema of ${tool.name} was never sent to you. Load it first with ToolSearch, query "select:${tool.name}", then call again.`
  return new ToolCallError('tool_not_loaded', `${lines}\n${hint}`)
}
