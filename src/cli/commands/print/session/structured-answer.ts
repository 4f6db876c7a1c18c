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

/** `--json-schema`: the model must return an answer that matches a schema. */
export class StructuredAnswer {
  /** The tool that the model returns the answer with. */
  readonly tools: Tools
  #sincePrompt: Message[] = []

  private constructor(schema: JsonSchema) {
    this.tools = [structuredOutputTool(schema)]
  }

  /** @param written JSON, or the path of a JSON file */
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
    // Other messages can be large and contain no answer.
    if (event.type === 'message-added' && event.message.type === 'attachment') this.#sincePrompt.push(event.message)
  }

  /** Reminds the model a few times if it ends without an answer. */
  async beforeEnd(emit: EmitEvent): Promise<EndAnswer> {
    const reminder = structuredOutputReminder(this.#sincePrompt)
    if (reminder === undefined) return { type: 'end' }
    emit({ type: 'notice', level: 'info', text: 'The model was reminded to return a structured answer.' })
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
  throw new UsageError(`${path} ${reason}; --json-schema takes a file or JSON.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--json-schema is not valid JSON: ${reasonOf(error)}`)
  }
}
