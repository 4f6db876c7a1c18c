import { ToolCallError } from '../../contract/errors.js'
import type { SchemaIssue } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import { findJsonProblem, type JsonProblem } from '../../shared/find-json-problem.js'
import { isObject } from '../../shared/is-record.js'
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import { isToolCallError } from '../as-tool-call-error.js'
import type { Input, KnownCall } from '../call.js'
import type { CallEnvironment } from '../call-environment.js'
import { copyPlain } from '../copy-plain.js'
import { checkSchema } from './check-schema.js'
import { type FoundCall, formatLoadHint } from './find-tool.js'
import { describeIssues } from './issue-lines.js'
import { repairInput } from './repair-input.js'

declare const parsedBrand: unique symbol

/** A call whose input matches the schema and has no field that only the runtime may set. */
export interface ParsedCall extends KnownCall {
  readonly [parsedBrand]: true
  /** The paths of values that were sent as JSON text and were decoded. */
  readonly repairs: readonly string[]
}

export function parseInput({ call, tool, input }: FoundCall): MaybePromise<ParsedCall> {
  const pendingParse = parseToolInput(tool, input, call.environment)
  return andThen(pendingParse, ({ input, repairs }) => ({ call, tool, input, repairs }) as ParsedCall)
}

interface ParsedInput {
  readonly input: Input
  readonly repairs: readonly string[]
}

const NO_REPAIRS: readonly string[] = []

/** Tells whether the model has seen the schema of a tool. */
type SentSchemas = Pick<CallEnvironment, 'isSchemaSent'>

/** Parses an input with the tool's schema. Decodes values that were sent as JSON text if the input does not match otherwise. */
export function parseToolInput(tool: Tool, input: unknown, schemas: SentSchemas): MaybePromise<ParsedInput> {
  const problem = findTooLargePart(input)
  if (problem !== undefined) throw createTooLargeError(tool, problem)
  return andThen(checkSchema(tool, input), (check) => {
    if (check.issues === undefined) return toOwnInput(check.value, NO_REPAIRS)
    if (tool.strict === true) throw createInvalidInputError(tool, input, check.issues, schemas)
    return parseRepaired(tool, input, check.issues, schemas)
  })
}

/** Schemas check every item of a list before its length, and describe every key that they do not know: both would block. */
const MAX_KEYS = 5_000
const MAX_ITEMS = 20_000

/** Describes a list or object in the input that is too large to be checked, or all its lists together. */
function findTooLargePart(input: unknown): string | undefined {
  const values = [input]
  let itemCount = 0
  for (let value = values.pop(); values.length > 0 || value !== undefined; value = values.pop()) {
    if (!isObject(value)) continue
    const items = Object.values(value)
    if (Array.isArray(value)) itemCount += items.length
    else if (items.length > MAX_KEYS) return `an object in it has ${items.length} keys; it can have at most ${MAX_KEYS}`
    if (itemCount > MAX_ITEMS) return `its lists have ${itemCount} items; they can have at most ${MAX_ITEMS} items`
    for (const item of items) if (isObject(item)) values.push(item)
  }
  return undefined
}

function createTooLargeError(tool: Tool, problem: string): ToolCallError {
  return new ToolCallError('input_invalid', `InputValidationError: the input of ${tool.name} is too large: ${problem}.`)
}

async function parseRepaired(
  tool: Tool,
  input: unknown,
  issues: readonly SchemaIssue[],
  schemas: SentSchemas,
): Promise<ParsedInput> {
  const repairedInput = await repairInput(tool, input, issues)
  if (repairedInput === undefined) throw createInvalidInputError(tool, input, issues, schemas)
  return toOwnInput(repairedInput.value, repairedInput.paths)
}

/** Copies the input, so that neither the sender nor a schema that keeps values can change it later. */
function toOwnInput(value: Input, repairs: readonly string[]): ParsedInput {
  return { input: copyPlain(stripInternalFields(value)), repairs }
}

function createInvalidInputError(
  tool: Tool,
  input: unknown,
  issues: readonly SchemaIssue[],
  schemas: SentSchemas,
): ToolCallError {
  const jsonProblem = typeof input === 'string' ? findJsonProblem(input) : undefined
  if (jsonProblem !== undefined) return createBrokenJsonError(tool, String(input), jsonProblem)
  const lines = describeIssues(issues, input)
  const message = `InputValidationError: the input of ${tool.name} does not match its schema:\n${lines}`
  if (schemas.isSchemaSent(tool)) return new ToolCallError('input_invalid', message)
  const hint = `The schema of ${tool.name} was never sent to you. ${formatLoadHint(tool.name)}`
  return new ToolCallError('tool_not_loaded', `${message}\n${hint}`)
}

const MAX_EXCERPT_CHARS = 30

/** By contract, a model passes on an input that is not valid JSON as the text that was sent. */
function createBrokenJsonError(tool: Tool, text: string, { offset, reason }: JsonProblem): ToolCallError {
  const before = JSON.stringify(text.slice(Math.max(0, offset - MAX_EXCERPT_CHARS), offset))
  const place = offset === 0 ? '' : `, after ${before}`
  const message = `InputValidationError: the input of ${tool.name} is not valid JSON: ${reason}, at character ${offset + 1} of ${text.length}${place}. Nothing ran. Send the whole input again as one valid JSON object.`
  return new ToolCallError('input_invalid', message)
}

/** Fields that only the answer to a permission request may set. They are not part of the schema that the model sees. */
const INTERNAL_FIELDS: readonly string[] = ['_simulatedSedEdit']

/** Returns the input without internal fields, or the same object if it has none. */
export function stripInternalFields(input: Record<string, unknown>): Record<string, unknown> {
  for (const field of INTERNAL_FIELDS) if (field in input) return removeInternalFields(input)
  return input
}

function removeInternalFields(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !INTERNAL_FIELDS.includes(name)))
}

/** Returns the internal fields of an answer. They are added to the input after its validation. */
export function extractInternalFields(input: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const fields = Object.entries(input).filter(([name]) => INTERNAL_FIELDS.includes(name))
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

declare const validatedBrand: unique symbol

/** A call whose input the tool's own validation accepted. */
export interface ValidatedCall extends KnownCall {
  readonly [validatedBrand]: true
}

/** Runs the tool's own check of what its schema cannot express. Its message goes back to the model. */
export function validateInput(parsedCall: ParsedCall): MaybePromise<ValidatedCall> {
  const { call, tool, input } = parsedCall
  return tool.validateInput === undefined ? ({ call, tool, input } as ValidatedCall) : validateWithTool(parsedCall)
}

async function validateWithTool({ call, tool, input }: ParsedCall): Promise<ValidatedCall> {
  const answer = await runValidator({ call, tool, input })
  if (isObject(answer) && answer.result === true) return { call, tool, input } as ValidatedCall
  const message = isObject(answer) && typeof answer.message === 'string' ? answer.message : ''
  const toolErrorCode = isObject(answer) && typeof answer.errorCode === 'number' ? answer.errorCode : undefined
  const text = message === '' ? `${tool.name} rejected the input.` : message
  throw new ToolCallError('input_refused', text, { toolErrorCode })
}

async function runValidator({ call, tool, input }: KnownCall): Promise<unknown> {
  try {
    return await tool.validateInput?.(input, call.context)
  } catch (cause) {
    if (isToolCallError(cause)) throw cause
    throw new ToolCallError('input_refused', `${tool.name} could not validate its input: ${reasonOf(cause)}`, { cause })
  }
}
