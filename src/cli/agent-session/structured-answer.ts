import { resolve } from 'node:path'
import { readStructuredOutput } from '../../contract/attachments.js'
import type { Message } from '../../contract/messages.js'
import type { JsonSchema } from '../../contract/schema.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { EmitEvent, SessionEvent } from '../../session/conversation/session-event.js'
import type { EndAnswer } from '../../session/loop/query-options.js'
import { createStructuredOutputReminder } from '../../session/messages/structured-output-reminder.js'
import { readTextFile } from '../../settings/files/read-text-file.js'
import { reasonOf } from '../../shared/reason-of.js'
import { findOutputSchemaProblem } from '../../tools/structured-output/answer-schema.js'
import { createStructuredOutputTool } from '../../tools/structured-output/tool.js'
import { asUsageError, UsageError } from '../io/exit.js'

/** `--json-schema`: the model must return an answer that matches a schema. */
export class StructuredAnswer {
  /** The tool that the model returns the answer with. */
  readonly tools: Tools
  #attachments: Message[] = []

  private constructor(schema: JsonSchema) {
    this.tools = [createStructuredOutputTool(schema)]
  }

  /** @param schemaOrPath JSON, or the path of a JSON file */
  static async open(schemaOrPath: string, cwd: string): Promise<StructuredAnswer> {
    const text = schemaOrPath.trimStart().startsWith('{')
      ? schemaOrPath
      : await readSchemaFile(resolve(cwd, schemaOrPath))
    const schema = parseSchema(text)
    const problem = await findOutputSchemaProblem(schema)
    if (problem !== undefined) throw asUsageError(new Error(problem))
    return new StructuredAnswer(schema as JsonSchema)
  }

  startPrompt(): void {
    this.#attachments = []
  }

  /** Keeps the attachments of the current prompt, which contain the answer. */
  collect(event: SessionEvent): void {
    // Other messages can be large and contain no answer.
    if (event.type === 'message-added' && event.message.type === 'attachment') this.#attachments.push(event.message)
  }

  /** Reminds the model a few times if it ends without an answer. */
  async beforeEnd(emit: EmitEvent): Promise<EndAnswer> {
    const reminder = createStructuredOutputReminder(this.#attachments)
    if (reminder === undefined) return { type: 'end' }
    emit({ type: 'notice', level: 'info', text: 'The model was reminded to return a structured answer.' })
    return { type: 'continue', messages: [reminder] }
  }

  get result(): { readonly value: unknown } | 'missing' {
    return readStructuredOutput(this.#attachments) ?? 'missing'
  }
}

async function readSchemaFile(path: string): Promise<string> {
  const file = await readTextFile(path)
  if (file.kind === 'text') return file.text
  const reason = file.kind === 'failed' ? file.reason : 'does not exist'
  throw new UsageError(`${path} ${reason}; --json-schema takes a file or JSON.`)
}

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--json-schema is not valid JSON: ${reasonOf(error)}`)
  }
}
