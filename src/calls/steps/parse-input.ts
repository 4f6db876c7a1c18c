import { ToolCallError } from '../../contract/errors.js'
import type { SchemaIssue } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { enter, type FoundCall, type Input, type ParsedCall } from '../call-states.js'
import { copyPlain } from '../copy-plain.js'
import { checkSchema, type SchemaCheck } from './check-schema.js'
import { stripInternalFields } from './internal-fields.js'
import { issueLines } from './issue-lines.js'
import { loadHint } from './load-hint.js'
import { repairInput } from './repair-input.js'

const NO_REPAIRS: readonly string[] = []

/** Whether the model has seen the schema of this tool; a deferred one it may have guessed. */
export type IsSchemaSent = (tool: Tool) => boolean

/** Parses the input by the tool's schema. Waits only where the schema does, or the input has to be repaired. */
export function parseInput(found: FoundCall, isSchemaSent: IsSchemaSent): MaybePromise<ParsedCall> {
  const check = checkSchema(found.tool, found.toolUse.input)
  return check instanceof Promise
    ? check.then((done) => finish(found, done, isSchemaSent))
    : finish(found, check, isSchemaSent)
}

function finish(found: FoundCall, check: SchemaCheck, isSchemaSent: IsSchemaSent): MaybePromise<ParsedCall> {
  if (check.issues === undefined) return parsed(found, check.value, NO_REPAIRS)
  if (found.tool.strict === true) throw invalidInput(found, check.issues, isSchemaSent)
  return repair(found, check.issues, isSchemaSent)
}

async function repair(
  found: FoundCall,
  issues: readonly SchemaIssue[],
  isSchemaSent: IsSchemaSent,
): Promise<ParsedCall> {
  const repaired = await repairInput(found.tool, found.toolUse.input, issues)
  if (repaired === undefined) throw invalidInput(found, issues, isSchemaSent)
  return parsed(found, repaired.value, repaired.paths)
}

/** The call has its input for itself: neither the one who sent it nor a schema that keeps values can change it later. */
function parsed({ toolUse, parentMessage, tool }: FoundCall, value: Input, repairs: readonly string[]): ParsedCall {
  return enter<ParsedCall>({ toolUse, parentMessage, tool, input: copyPlain(stripInternalFields(value)), repairs })
}

function invalidInput(
  { tool, toolUse }: FoundCall,
  issues: readonly SchemaIssue[],
  isSchemaSent: IsSchemaSent,
): ToolCallError {
  const lines = issueLines(issues, toolUse.input)
  const message = `InputValidationError: the input of ${tool.name} does not fit its schema:\n${lines}`
  if (isSchemaSent(tool)) return new ToolCallError('input_invalid', message)
  const hint = `The schema of ${tool.name} was never sent to you. ${loadHint(tool.name)}`
  return new ToolCallError('tool_not_loaded', `${message}\n${hint}`)
}
