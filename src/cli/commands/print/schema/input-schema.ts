import * as z from 'zod'
import { PERMISSION_MODES } from '../../../../contract/permission/context.js'
import { isRecord } from '../../../../shared/is-record.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import { contentSchemas } from './content-schema.js'

/** A line that another program sends. Fields that are not named here are ignored. */
export type InputMessage = z.output<ReturnType<typeof makeInputSchema>>
export type ControlRequest = Extract<InputMessage, { type: 'control_request' }>
export type ControlResponse = Extract<InputMessage, { type: 'control_response' }>

let made: ReturnType<typeof makeInputSchema> | undefined

/** The schema of a line of `--input-format stream-json`, built when it is first needed. */
export function inputSchema(): ReturnType<typeof makeInputSchema> {
  made ??= makeInputSchema()
  return made
}

function makeInputSchema() {
  return z
    .discriminatedUnion('type', [userMessage(), controlRequest(), controlResponse()])
    .meta({ title: 'haft --input-format stream-json', description: 'One line of input.' })
}

function userMessage() {
  const { text, image, document } = contentSchemas()
  return z
    .object({
      type: z.literal('user'),
      message: z.object({
        role: z.literal('user'),
        content: z.union([z.string().min(1), z.array(z.discriminatedUnion('type', [text, image, document])).min(1)]),
      }),
    })
    .describe('A prompt. Those that come while one is worked on wait for their turn.')
}

function controlRequest() {
  const request = z.discriminatedUnion('subtype', [
    z.object({ subtype: z.literal('initialize') }).describe('Asks what there is; answered at once.'),
    z.object({ subtype: z.literal('interrupt') }).describe('Ends the prompt that is worked on.'),
    z
      .object({ subtype: z.literal('set_permission_mode'), mode: z.enum(PERMISSION_MODES) })
      .describe('Enters another mode.'),
    z
      .object({ subtype: z.literal('set_model'), model: z.string().min(1).nullish() })
      .describe('Another model from the next prompt on; the one of the start where none is named.'),
  ])
  return z
    .object({ type: z.literal('control_request'), request_id: z.string().min(1), request })
    .describe('Wants something of Haft, which answers with a control_response.')
}

function controlResponse() {
  const answer = z.discriminatedUnion('behavior', [
    z.object({
      behavior: z.literal('allow'),
      updatedInput: z.record(z.string(), z.unknown()).nullish().describe('What to call the tool with instead.'),
      updatedPermissions: z
        .array(z.record(z.string(), z.unknown()))
        .nullish()
        .describe('Of the permission_suggestions, those that shall hold from now on.'),
    }),
    z.object({
      behavior: z.literal('deny'),
      message: z.string().nullish().describe('What the model is told.'),
      interrupt: z.boolean().nullish().describe('Whether the prompt ends with it.'),
    }),
  ])
  return z
    .object({
      type: z.literal('control_response'),
      response: z.discriminatedUnion('subtype', [
        z.object({ subtype: z.literal('success'), request_id: z.string(), response: answer }),
        z.object({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
      ]),
    })
    .describe('Answers a can_use_tool request of Haft.')
}

export type ParsedLine =
  | { readonly message: InputMessage }
  /** `requestId` where it is a request, which waits for an answer. */
  | { readonly problem: string; readonly requestId?: string }

/** Reads one line of another program. */
export function parseInputLine(text: string): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `is not JSON: ${reasonOf(error)}` }
  }
  const { data, error } = inputSchema().safeParse(value)
  if (error === undefined) return { message: data }
  const [issue] = error.issues
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
  const problem = `cannot be used${place}: ${issue?.message ?? 'it does not fit'}`
  const requestId = isRecord(value) && value.type === 'control_request' ? value.request_id : undefined
  return typeof requestId === 'string' ? { problem, requestId } : { problem }
}
