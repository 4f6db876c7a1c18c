import { randomBytes } from 'node:crypto'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { Answer, AskPort, ElicitationAnswer, Question } from '../../contract/ports/ask.js'
import { isRecord } from '../../shared/is-record.js'
import { currentExchange, type InputRequest } from '../client/exchange.js'
import { FrontCall } from './client-call.js'

/** The question whether a call may be made, as far as it is put here. */
export interface CallQuestion {
  readonly message: string
  readonly tool: { readonly name: string }
  readonly input: Readonly<Record<string, unknown>>
  readonly preview?: string
  readonly suggestions: readonly PermissionUpdate[]
}

export type CallAnswer =
  | { readonly behavior: 'allow'; readonly updates?: readonly PermissionUpdate[] }
  | { readonly behavior: 'deny'; readonly message?: string }
  | { readonly behavior: 'nobody' }

const ONCE = 'Yes, once'
const ALWAYS = 'Yes, and for the rest of this run'
const NO = 'No'
const MAX_SHOWN_CHARS = 4_000
const FORM: InputRequest = { method: 'elicitation/create', params: {} }

/** Asks the person at the client whose call it is; nobody where that client cannot ask. */
export async function askAboutCall(question: CallQuestion): Promise<CallAnswer> {
  const call = callToAsk()
  if (call === undefined) return { behavior: 'nobody' }
  const updates = question.suggestions.flatMap(forThisRun)
  const choices = updates.length === 0 ? [ONCE, NO] : [ONCE, ALWAYS, NO]
  const answer = await elicit(call, questionText(question, updates), {
    answer: { type: 'string', title: `Allow ${question.tool.name}?`, enum: choices },
    instead: { type: 'string', title: 'If not: what to do instead' },
  })
  const { answer: chosen, instead } = answer.action === 'accept' ? (answer.content ?? {}) : {}
  if (chosen === ONCE) return { behavior: 'allow' }
  if (chosen === ALWAYS && updates.length > 0) return { behavior: 'allow', updates }
  // Whatever is no clear yes is a no.
  return { behavior: 'deny', ...(typeof instead === 'string' && instead.trim() !== '' && { message: instead }) }
}

/** The person at the client whose call asks. */
export const elicitingAskPort: AskPort = {
  get canAsk() {
    return callToAsk() !== undefined
  },
  async askQuestions(questions) {
    const call = callToAsk()
    if (call === undefined) return undefined
    const fields = Object.fromEntries(questions.flatMap(fieldsOf))
    const answer = await elicit(call, questions.map(({ question }) => question).join('\n'), fields, [])
    return answer.action === 'accept'
      ? questions.map((question, at) => answerOf(question, at, answer.content ?? {}))
      : undefined
  },
  async handleElicitation({ message, schema, url }) {
    const call = callToAsk()
    if (call === undefined) return { action: 'decline' }
    if (url !== undefined)
      return ask(call, { mode: 'url', message, url, elicitationId: randomBytes(16).toString('hex') })
    return ask(call, { message, requestedSchema: schema ?? { type: 'object', properties: {} } })
  },
}

function callToAsk(): FrontCall | undefined {
  const exchange = currentExchange()
  return exchange instanceof FrontCall && exchange.canBeAsked(FORM) ? exchange : undefined
}

function elicit(
  call: FrontCall,
  message: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = ['answer'],
): Promise<ElicitationAnswer> {
  return ask(call, { message, requestedSchema: { type: 'object', properties, required } })
}

async function ask(call: FrontCall, params: Readonly<Record<string, unknown>>): Promise<ElicitationAnswer> {
  // A key that nobody can guess: no answer can have been given before the question was put.
  const key = `haft_${randomBytes(9).toString('hex')}`
  const { action, content } = (await call.answer({ [key]: { method: 'elicitation/create', params } }))[key] as Record<
    string,
    unknown
  >
  if (action === 'accept') return { action, ...(isRecord(content) && { content }) }
  return { action: action === 'decline' ? 'decline' : 'cancel' }
}

/** The whole call, as far as anybody reads: a summary could hide the part that matters. */
function questionText({ message, tool, input, preview }: CallQuestion, updates: readonly RulesUpdate[]): string {
  const rules = updates.flatMap((update) => update.rules).join(', ')
  return [
    message,
    cut(`${tool.name} ${JSON.stringify(input, null, 2)}`),
    ...(preview === undefined ? [] : [cut(preview)]),
    ...(rules === '' ? [] : [`For the rest of this run this would allow: ${rules}`]),
  ].join('\n\n')
}

function cut(text: string): string {
  const hidden = text.length - MAX_SHOWN_CHARS
  return hidden > 0 ? `${text.slice(0, MAX_SHOWN_CHARS)}\n[${hidden} more characters are not shown]` : text
}

type RulesUpdate = Extract<PermissionUpdate, { readonly rules: unknown }>

/** A client must not make its user change settings files by one word. */
function forThisRun(update: PermissionUpdate): readonly RulesUpdate[] {
  return 'rules' in update ? [{ ...update, destination: 'session' }] : []
}

function fieldsOf(
  { question, header, options, multiSelect }: Question,
  at: number,
): readonly (readonly [string, unknown])[] {
  const labels = options.map(({ label }) => label)
  const description = [question, ...options.map(({ label, description }) => `${label}: ${description}`)].join('\n')
  const choice = multiSelect
    ? { type: 'array', items: { type: 'string', enum: labels } }
    : { type: 'string', enum: labels }
  return [
    [`question${at + 1}`, { ...choice, title: header, description }],
    [`other${at + 1}`, { type: 'string', title: `${header}: another answer` }],
  ]
}

function answerOf({ question, options }: Question, at: number, content: Readonly<Record<string, unknown>>): Answer {
  const chosen = [content[`question${at + 1}`]]
    .flat()
    .filter((label) => options.some((option) => option.label === label))
  const other = content[`other${at + 1}`]
  return { question, chosen: chosen as string[], ...(typeof other === 'string' && other.trim() !== '' && { other }) }
}
