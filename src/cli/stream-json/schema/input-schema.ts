import * as z from 'zod'
import { PERMISSION_MODES } from '../../../contract/permission/context.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { createContentSchemas } from './content-schema.js'

/** An input line. Unknown fields are ignored. */
export type InputMessage = z.output<ReturnType<typeof createInputSchema>>
export type ControlRequest = Extract<InputMessage, { type: 'control_request' }>
export type ControlResponse = Extract<InputMessage, { type: 'control_response' }>

let cachedSchema: ReturnType<typeof createInputSchema> | undefined

/** Returns the schema of a line of `--input-format stream-json`, created on first use. */
export function getInputSchema(): ReturnType<typeof createInputSchema> {
  cachedSchema ??= createInputSchema()
  return cachedSchema
}

function createInputSchema() {
  return z
    .discriminatedUnion('type', [
      createUserMessageSchema(),
      createControlRequestSchema(),
      createControlResponseSchema(),
    ])
    .meta({ title: 'haft --input-format stream-json', description: 'One line of input.' })
}

function createUserMessageSchema() {
  const { text, image, document } = createContentSchemas()
  return z
    .object({
      type: z.literal('user'),
      message: z.object({
        role: z.literal('user'),
        content: z.union([z.string().min(1), z.array(z.discriminatedUnion('type', [text, image, document])).min(1)]),
      }),
    })
    .describe('A prompt. Prompts are queued while another one is running.')
}

function createControlRequestSchema() {
  const request = z.discriminatedUnion('subtype', [
    z.object({ subtype: z.literal('initialize') }).describe('Requests the version and session id.'),
    z.object({ subtype: z.literal('interrupt') }).describe('Interrupts the running prompt.'),
    z
      .object({ subtype: z.literal('set_permission_mode'), mode: z.enum(PERMISSION_MODES) })
      .describe('Changes the permission mode.'),
    z
      .object({ subtype: z.literal('set_model'), model: z.string().min(1).nullish() })
      .describe('Changes the model from the next prompt on. Without a model, the initial model is restored.'),
  ])
  return z
    .object({ type: z.literal('control_request'), request_id: z.string().min(1), request })
    .describe('A request to Haft, answered with a control_response.')
}

function createControlResponseSchema() {
  const answer = z.discriminatedUnion('behavior', [
    z.object({
      behavior: z.literal('allow'),
      updatedInput: z.record(z.string(), z.unknown()).nullish().describe('Input that replaces the original input.'),
      updatedPermissions: z
        .array(z.record(z.string(), z.unknown()))
        .nullish()
        .describe('The permission_suggestions to apply to this and later calls.'),
    }),
    z.object({
      behavior: z.literal('deny'),
      message: z.string().nullish().describe('The message for the model.'),
      interrupt: z.boolean().nullish().describe('Whether to interrupt the prompt.'),
    }),
  ])
  return z
    .object({
      type: z.literal('control_response'),
      response: z.discriminatedUnion('subtype', [
        z.object({
          subtype: z.literal('success'),
          request_id: z.string(),
          response: z.union([answer, createAnswersSchema(), createElicitationAnswerSchema()]),
        }),
        z.object({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
      ]),
    })
    .describe('The answer to a can_use_tool, ask_user_question or elicitation request.')
}

function createAnswersSchema() {
  const answer = z.object({
    question: z.string().describe('The question as it was asked.'),
    chosen: z.array(z.string()).describe('The chosen labels.'),
    other: z.string().optional().describe("The user's own answer."),
  })
  return z
    .object({ answers: z.array(answer).nullable().describe('null: the user dismissed the questions.') })
    .describe('The answer to ask_user_question.')
}

function createElicitationAnswerSchema() {
  return z
    .object({
      action: z.enum(['accept', 'decline', 'cancel']),
      content: z.record(z.string(), z.unknown()).nullish().describe('The values of the form.'),
    })
    .describe('The answer to elicitation.')
}

export type ParsedLine =
  | { readonly message: InputMessage }
  /** `requestId` is set for a request, which needs an answer. */
  | { readonly problem: string; readonly requestId?: string }

/** Parses an input line. The problem of an invalid line describes only its first issue. */
export function parseInputLine(text: string): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `is not JSON: ${reasonOf(error)}` }
  }
  const { data, error } = getInputSchema().safeParse(value)
  if (error === undefined) return { message: data }
  const [issue] = error.issues
  const location = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
  const problem = `is invalid${location}: ${issue?.message ?? 'does not match the schema'}`
  const requestId = isRecord(value) && value.type === 'control_request' ? value.request_id : undefined
  return typeof requestId === 'string' ? { problem, requestId } : { problem }
}
