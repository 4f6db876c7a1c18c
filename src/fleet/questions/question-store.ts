import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { lazySchema } from '../../contract/schema.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import { FleetError, parseWith } from '../runs/run-spec.js'

const MAX_ANSWER_CHARS = 20_000
const MAX_LISTED = 500

const permissionAnswerSchema = lazySchema(() =>
  z.strictObject({
    behavior: z.enum(['allow', 'deny']),
    message: z.string().max(MAX_ANSWER_CHARS).optional().describe('Told to the model if the call is denied'),
  }),
)

const questionsAnswerSchema = lazySchema(() =>
  z.strictObject({
    answers: z.array(
      z.strictObject({
        question: z.string().max(MAX_ANSWER_CHARS),
        chosen: z.array(z.string().max(MAX_ANSWER_CHARS)),
        other: z.string().max(MAX_ANSWER_CHARS).optional(),
      }),
    ),
  }),
)

export type PermissionReply = z.infer<typeof permissionAnswerSchema.schema>
type QuestionsReply = z.infer<typeof questionsAnswerSchema.schema>
/** The answer to a question of a run. */
export type Reply = PermissionReply | QuestionsReply

/** A question of a run: whether a call may run (`permission`), or questions that the model asks (`questions`). */
export interface StoredQuestion {
  readonly id: string
  readonly run: string
  readonly kind: 'permission' | 'questions'
  /** Identifies what the question is about, so that an answer can be used when the same question comes again. */
  readonly subject: string
  readonly question: Readonly<Record<string, unknown>>
  readonly askedAt: string
  readonly answer: Reply | undefined
}

interface QuestionRow {
  readonly id: string
  readonly run: string
  readonly kind: StoredQuestion['kind']
  readonly subject: string
  readonly question: Readonly<Record<string, unknown>>
  readonly asked_at: Date
  readonly answer: Reply | null
}

const COLUMNS = 'id, run, kind, subject, question, asked_at, answer'

export function createSubject(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** The questions of one tenant's runs. Every statement names the tenant. */
export class QuestionStore {
  readonly #database: FleetDatabase
  readonly #tenant: string

  constructor(database: FleetDatabase, tenant: string) {
    this.#database = database
    this.#tenant = tenant
  }

  async add(question: Pick<StoredQuestion, 'run' | 'kind' | 'subject' | 'question'>): Promise<string> {
    const id = randomUUID()
    const { run, kind, subject } = question
    await this.#database.query(
      'INSERT INTO haft_fleet.questions (id, run, tenant, kind, subject, question) VALUES ($1, $2, $3, $4, $5, $6)',
      [id, run, this.#tenant, kind, subject, JSON.stringify(question.question)],
    )
    return id
  }

  /** Lists the questions that nobody has answered, oldest first. */
  async listOpen(run?: string): Promise<readonly StoredQuestion[]> {
    const rows = await this.#database.query<QuestionRow>(
      `SELECT ${COLUMNS} FROM haft_fleet.questions WHERE tenant = $1 AND ($2::text IS NULL OR run = $2)
         AND answer IS NULL AND NOT is_closed ORDER BY asked_at LIMIT $3`,
      [this.#tenant, run, MAX_LISTED],
    )
    return rows.map(toQuestion)
  }

  /** Lists the questions of a run that the model has no answer to, answered or not. */
  async listUndelivered(run: string): Promise<readonly StoredQuestion[]> {
    const rows = await this.#database.query<QuestionRow>(
      `SELECT ${COLUMNS} FROM haft_fleet.questions WHERE tenant = $1 AND run = $2 AND NOT is_closed ORDER BY asked_at`,
      [this.#tenant, run],
    )
    return rows.map(toQuestion)
  }

  async get(id: string): Promise<StoredQuestion> {
    const [row] = await this.#database.query<QuestionRow>(
      `SELECT ${COLUMNS} FROM haft_fleet.questions WHERE tenant = $1 AND id = $2`,
      [this.#tenant, id],
    )
    if (row === undefined) throw new FleetError('not_found', `There is no question ${id}.`)
    return toQuestion(row)
  }

  /** Stores an answer. The first one counts. A run that was put aside goes back into the queue. */
  async answer(id: string, value: unknown, answeredBy: string): Promise<void> {
    const { kind, run } = await this.get(id)
    const schema = kind === 'permission' ? permissionAnswerSchema : questionsAnswerSchema
    const answer = parseWith<Reply>(schema.schema, value)
    await this.#database.transaction(async (transaction) => {
      const stored = await transaction.query(
        `UPDATE haft_fleet.questions SET answer = $3, answered_by = $4, answered_at = now()
         WHERE tenant = $1 AND id = $2 AND answer IS NULL AND NOT is_closed RETURNING id`,
        [this.#tenant, id, JSON.stringify(answer), answeredBy],
      )
      if (stored.length === 0) throw new FleetError('conflict', `Question ${id} has an answer already.`)
      await transaction.query(
        `UPDATE haft_fleet.runs SET state = 'queued', queued_at = now() WHERE tenant = $1 AND id = $2 AND state = 'waiting'`,
        [this.#tenant, run],
      )
      await transaction.query("SELECT pg_notify('haft_fleet', $1), pg_notify('haft_fleet', 'queue')", [
        `question ${id}`,
      ])
    })
  }

  /** The model has the answer, or the question has no meaning any more. */
  async close(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#database.query('UPDATE haft_fleet.questions SET is_closed = true WHERE tenant = $1 AND id = ANY($2)', [
      this.#tenant,
      ids,
    ])
  }
}

function toQuestion({ asked_at, answer, ...row }: QuestionRow): StoredQuestion {
  return { ...row, askedAt: asked_at.toISOString(), answer: answer ?? undefined }
}
