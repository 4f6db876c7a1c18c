import { resolve } from 'node:path'
import { readStructuredOutput } from '../../../../contract/attachments.js'
import type { Message } from '../../../../contract/messages.js'
import type { JsonSchema } from '../../../../contract/schema.js'
import type { Tools } from '../../../../contract/tool/tool.js'
import type { EmitEvent, SessionEvent } from '../../../../session/conversation/session-event.js'
import type { EndAnswer } from '../../../../session/loop/query-options.js'
import { structuredOutputReminder } from '../../../../session/messages/structured-output-reminder.js'
import { readTextFile } from '../../../../settings/files/read-text-file.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import { outputSchemaProblem } from '../../../../tools/structured-output/answer-schema.js'
import { structuredOutputTool } from '../../../../tools/structured-output/tool.js'
import { asUsageError, UsageError } from '../../../io/exit.js'

/** `--json-schema`: the model has to give its answer as data of a certain form. */
export class StructuredAnswer {
  /** What the model gives it by. */
  readonly tools: Tools
  #sincePrompt: Message[] = []

  private constructor(schema: JsonSchema) {
    this.tools = [structuredOutputTool(schema)]
  }

  /** `written` is JSON, or a file that holds it. */
  static async open(written: string, cwd: string): Promise<StructuredAnswer> {
    const text = written.trimStart().startsWith('{') ? written : await textOf(resolve(cwd, written))
    const schema = parsed(text)
    const problem = await outputSchemaProblem(schema)
    if (problem !== undefined) throw asUsageError(new Error(problem))
    return new StructuredAnswer(schema as JsonSchema)
  }

  promptBegins(): void {
    this.#sincePrompt = []
  }

  take(event: SessionEvent): void {
    // Results can be as large as files, and hold no answer.
    if (event.type === 'message-added' && event.message.type === 'attachment') this.#sincePrompt.push(event.message)
  }

  /** A model that ends without an answer is reminded of it, a few times. */
  async beforeEnd(emit: EmitEvent): Promise<EndAnswer> {
    const reminder = structuredOutputReminder(this.#sincePrompt)
    if (reminder === undefined) return { type: 'end' }
    emit({ type: 'notice', level: 'info', text: 'The model was reminded of the form of its answer.' })
    return { type: 'continue', messages: [reminder] }
  }

  get found(): { readonly value: unknown } | 'missing' {
    return readStructuredOutput(this.#sincePrompt) ?? 'missing'
  }
}

async function textOf(path: string): Promise<string> {
  const read = await readTextFile(path)
  if (read.kind === 'text') return read.text
  const reason = read.kind === 'failed' ? read.reason : 'does not exist'
  throw new UsageError(`${path} ${reason}; give --json-schema a file or JSON.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--json-schema is not JSON: ${reasonOf(error)}`)
  }
}
