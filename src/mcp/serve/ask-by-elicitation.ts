import { randomBytes } from 'node:crypto'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { Answer, AskPort, ElicitationAnswer, Question } from '../../contract/ports/ask.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { getCurrentExchange, type InputRequest } from '../client/exchange.js'
import { ClientCall } from './client-call.js'

/** The part of a permission question that is shown to the client's user. */
export interface CallQuestion {
  readonly message: string
  readonly tool: { readonly name: string }
  readonly input: Readonly<Record<string, unknown>>
  readonly preview?: string
  readonly description?: string
  readonly isDestructive?: boolean
  readonly suggestions: readonly PermissionUpdate[]
}

export type CallAnswer =
  | { readonly behavior: 'allow'; readonly updates?: readonly PermissionUpdate[] }
  | { readonly behavior: 'deny'; readonly message?: string }
  | { readonly behavior: 'unavailable' }

const ALLOW_ONCE = 'Yes, once'
const ALLOW_FOR_RUN = 'Yes, and for the rest of this run'
const DENY_LABEL = 'No'
const MAX_SHOWN_CHARS = 4_000
const FORM_REQUEST: InputRequest = { method: 'elicitation/create', params: {} }

/** Asks the client's user whether a call may run. Returns `unavailable` if the client does not support elicitation. */
export async function askByElicitation(question: CallQuestion): Promise<CallAnswer> {
  const call = findAskableCall()
  if (call === undefined) return { behavior: 'unavailable' }
  const updates = question.suggestions.flatMap(toSessionRule)
  const choices = updates.length === 0 ? [ALLOW_ONCE, DENY_LABEL] : [ALLOW_ONCE, ALLOW_FOR_RUN, DENY_LABEL]
  const answer = await elicit(call, formatQuestion(question, updates), {
    answer: { type: 'string', title: `Allow ${question.tool.name}?`, enum: choices },
    instead: { type: 'string', title: 'If not: what to do instead' },
  })
  const { answer: choice, instead } = answer.action === 'accept' ? (answer.content ?? {}) : {}
  if (choice === ALLOW_ONCE) return { behavior: 'allow' }
  if (choice === ALLOW_FOR_RUN && updates.length > 0) return { behavior: 'allow', updates }
  // Anything other than a clear yes is a denial.
  return { behavior: 'deny', ...(typeof instead === 'string' && instead.trim() !== '' && { message: instead }) }
}

/** Sends questions to the user of the client whose call is running. */
export const elicitingAskPort: AskPort = {
  get canAsk() {
    return findAskableCall() !== undefined
  },
  async askQuestions(questions) {
    const call = findAskableCall()
    if (call === undefined) return undefined
    const fields = Object.fromEntries(questions.flatMap(toFields))
    const answer = await elicit(call, questions.map(({ question }) => question).join('\n'), fields, [])
    return answer.action === 'accept'
      ? questions.map((question, index) => toAnswer(question, index, answer.content ?? {}))
      : undefined
  },
  async handleElicitation({ message, schema, url }) {
    const call = findAskableCall()
    if (call === undefined) return { action: 'decline' }
    if (url !== undefined)
      return ask(call, { mode: 'url', message, url, elicitationId: randomBytes(16).toString('hex') })
    return ask(call, { message, requestedSchema: schema ?? { type: 'object', properties: {} } })
  },
}

function findAskableCall(): ClientCall | undefined {
  const exchange = getCurrentExchange()
  return exchange instanceof ClientCall && exchange.canBeAsked(FORM_REQUEST) ? exchange : undefined
}

function elicit(
  call: ClientCall,
  message: string,
  properties: Readonly<Record<string, unknown>>,
  requiredFields: readonly string[] = ['answer'],
): Promise<ElicitationAnswer> {
  return ask(call, { message, requestedSchema: { type: 'object', properties, required: requiredFields } })
}

async function ask(call: ClientCall, params: Readonly<Record<string, unknown>>): Promise<ElicitationAnswer> {
  // An unguessable key, so that a client cannot answer before the question is asked.
  const key = `haft_${randomBytes(9).toString('hex')}`
  const { action, content } = (await call.answer({ [key]: { method: 'elicitation/create', params } }))[key] as Record<
    string,
    unknown
  >
  if (action === 'accept') return { action, ...(isRecord(content) && { content }) }
  return { action: action === 'decline' ? 'decline' : 'cancel' }
}

/** Shows the whole input up to a limit, because a summary could hide the part that matters. */
function formatQuestion(question: CallQuestion, updates: readonly RulesUpdate[]): string {
  const { message, tool, input, preview, description, isDestructive = false } = question
  const rules = updates.flatMap((update) => update.rules).join(', ')
  return [
    message,
    ...(isDestructive ? ['This call may destroy data.'] : []),
    ...(description === undefined ? [] : [description]),
    shorten(`${tool.name} ${JSON.stringify(input, null, 2)}`),
    ...(preview === undefined ? [] : [shorten(preview)]),
    ...(rules === '' ? [] : [`"${ALLOW_FOR_RUN}" would allow: ${rules}`]),
  ].join('\n\n')
}

function shorten(text: string): string {
  const hiddenChars = text.length - MAX_SHOWN_CHARS
  return hiddenChars > 0 ? `${cutText(text, MAX_SHOWN_CHARS)}\n[${hiddenChars} more characters are not shown]` : text
}

type RulesUpdate = Extract<PermissionUpdate, { readonly rules: unknown }>

/** Limits a rule to this session, because one click in a client must not change settings files. */
function toSessionRule(update: PermissionUpdate): readonly RulesUpdate[] {
  return 'rules' in update ? [{ ...update, destination: 'session' }] : []
}

function toFields(
  { question, header, options, multiSelect }: Question,
  index: number,
): readonly (readonly [string, unknown])[] {
  const labels = options.map(({ label }) => label)
  const description = [question, ...options.map(({ label, description }) => `${label}: ${description}`)].join('\n')
  const choice = multiSelect
    ? { type: 'array', items: { type: 'string', enum: labels } }
    : { type: 'string', enum: labels }
  return [
    [`question${index + 1}`, { ...choice, title: header, description }],
    [`other${index + 1}`, { type: 'string', title: `${header}: another answer` }],
  ]
}

function toAnswer({ question, options }: Question, index: number, content: Readonly<Record<string, unknown>>): Answer {
  const chosen = [content[`question${index + 1}`]]
    .flat()
    .filter((label) => options.some((option) => option.label === label))
  const otherAnswer = content[`other${index + 1}`]
  return {
    question,
    chosen: chosen as string[],
    ...(typeof otherAnswer === 'string' && otherAnswer.trim() !== '' && { other: otherAnswer }),
  }
}
