import type { Answer, AskPort, Question } from '../../contract/ports/ask.js'
import type { ToolRuntimeOptions } from '../../runtime/options.js'
import { delay } from '../../shared/waiting.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import { notifyWebhook } from './notify-webhook.js'
import { createSubject, type PermissionReply, QuestionStore, type StoredQuestion } from './question-store.js'

const DEFAULT_PARK_MS = 30_000
const ANSWER_POLL_MS = 500

type AskPermission = NonNullable<ToolRuntimeOptions['ask']>
type PermissionQuestion = Parameters<AskPermission>[0]
type PermissionAnswer = Awaited<ReturnType<AskPermission>>

export interface RunQuestionsOptions {
  readonly database: FleetDatabase
  readonly run: { readonly id: string; readonly tenant: string }
  /** Called before the run is put aside, so that the journal ends with the question. */
  readonly onPark: () => void
  /** How long a run keeps its slot while it waits for an answer. */
  readonly parkAfterMs?: number | undefined
  readonly log: (line: string) => void
}

/**
 * The questions of one execution of a run. They are stored before anybody waits, so that the answer reaches the model even if worker and client were
 * restarted: the next execution delivers it as a notice, and the same call is then allowed once.
 */
export class RunQuestions {
  readonly #options: RunQuestionsOptions
  readonly #store: QuestionStore
  readonly #parking = new AbortController()
  readonly #grants = new Map<string, PermissionReply>()
  #deliveredIds: string[] = []

  constructor(options: RunQuestionsOptions) {
    this.#options = options
    this.#store = new QuestionStore(options.database, options.run.tenant)
  }

  /** Aborted when the run should be put aside until there is an answer. */
  get parked(): AbortSignal {
    return this.#parking.signal
  }

  createUser(): { readonly ask: AskPermission; readonly askPort: AskPort } {
    return {
      ask: (question) => this.#askPermission(question),
      askPort: {
        canAsk: true,
        askQuestions: (questions, options) => this.#askQuestions(questions, options?.signal),
        // Forms of servers may ask for secrets, which must not be stored.
        handleElicitation: async () => ({ action: 'decline' }),
      },
    }
  }

  /** Returns what earlier executions asked and people answered, as texts for the model. Waits for missing answers. */
  async deliverEarlier(signal: AbortSignal): Promise<readonly string[]> {
    const notices: string[] = []
    for (const stored of await this.#store.listUndelivered(this.#options.run.id)) {
      const answered = stored.answer === undefined ? await this.#awaitAnswer(stored.id, signal) : stored
      if (answered?.answer === undefined) return notices
      if ('behavior' in answered.answer && answered.answer.behavior === 'allow')
        this.#grants.set(answered.subject, answered.answer)
      notices.push(describeAnswer(answered))
      this.#deliveredIds.push(answered.id)
    }
    return notices
  }

  /** The model has answered a request that contained all notices. */
  async confirmDelivery(): Promise<void> {
    const ids = this.#deliveredIds
    this.#deliveredIds = []
    await this.#store.close(ids)
  }

  async #askPermission({ tool, input, message, preview, signal }: PermissionQuestion): Promise<PermissionAnswer> {
    const subject = createSubject([tool.name, input])
    const grant = this.#grants.get(subject)
    if (grant !== undefined) {
      this.#grants.delete(subject)
      return { behavior: 'allow' }
    }
    const question = { tool: tool.name, input, message, ...(preview !== undefined && { preview }) }
    const answer = await this.#ask({ kind: 'permission', subject, question }, signal)
    if (answer === undefined || !('behavior' in answer)) return { behavior: 'deny', message: 'Nobody has answered.' }
    if (answer.behavior === 'allow') return { behavior: 'allow' }
    return { behavior: 'deny', ...(answer.message !== undefined && { message: answer.message }) }
  }

  async #askQuestions(questions: readonly Question[], signal?: AbortSignal): Promise<readonly Answer[] | undefined> {
    const subject = createSubject(questions)
    const answer = await this.#ask({ kind: 'questions', subject, question: { questions } }, signal)
    if (answer === undefined || !('answers' in answer)) return undefined
    return answer.answers.map(({ question, chosen, other }) => ({
      ...{ question, chosen },
      ...(other !== undefined && { other }),
    }))
  }

  async #ask(question: Pick<StoredQuestion, 'kind' | 'subject' | 'question'>, signal?: AbortSignal) {
    const { database, run, log } = this.#options
    const id = await this.#store.add({ ...question, run: run.id })
    await database.notify(`question ${id}`)
    notifyWebhook(database, run, { id, ...question }).catch((error: unknown) =>
      log(`webhook of ${run.tenant}: ${error}`),
    )
    const answered = await this.#awaitAnswer(id, signal ?? new AbortController().signal)
    // Without an answer the run is put aside or ends; the question stays open for the next execution.
    if (answered?.answer !== undefined) await this.#store.close([id])
    return answered?.answer
  }

  /** Waits for an answer; undefined if the run ends or is put aside first. */
  async #awaitAnswer(id: string, signal: AbortSignal): Promise<StoredQuestion | undefined> {
    const { parkAfterMs = DEFAULT_PARK_MS, onPark } = this.#options
    const parkAt = Date.now() + parkAfterMs
    const ended = AbortSignal.any([signal, this.parked])
    while (!ended.aborted) {
      const stored = await this.#store.get(id).catch(() => undefined)
      if (stored?.answer !== undefined) return stored
      if (Date.now() >= parkAt) {
        onPark()
        this.#parking.abort()
      }
      await delay(ANSWER_POLL_MS, ended)
    }
    return undefined
  }
}

function describeAnswer({ kind, question, answer }: StoredQuestion): string {
  if (kind === 'permission' && answer !== undefined && 'behavior' in answer) {
    const call = `${String(question.tool)}(${JSON.stringify(question.input)})`
    return answer.behavior === 'allow'
      ? `A person has allowed the call ${call}, which was not run because the run was put aside. Make the same call again if it is still needed.`
      : `A person has denied the call ${call}${answer.message === undefined ? '.' : `: ${answer.message}`}`
  }
  return `A person has answered your earlier questions ${JSON.stringify(question.questions)}: ${JSON.stringify(answer)}`
}
