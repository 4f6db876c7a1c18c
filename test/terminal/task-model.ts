import type { ServerRequest, ServerTurn } from '../../src/testing/models/server/server-turn.js'

/** The number of messages with calls for each task. */
const STEPS = 2
const READS = 7
const COMMANDS = 3
export const CALLS_PER_TASK = STEPS * (READS + COMMANDS)
const LINES = 20

interface RequestBlock {
  readonly type: string
  readonly text?: string
  readonly tool_use_id?: string
}

/**
 * A model that answers "Task N" with calls and lines of unique text, so that lost and duplicated ones can be found.
 * After the first step it waits for `release`. "Task N wait" ends with a command that waits until it is interrupted.
 */
export class TaskModel {
  /** The number of steps sent, by task. */
  readonly #steps = new Map<string, number>()
  /** Texts that must be on the screen exactly once. */
  readonly texts: string[] = []
  /** Outputs of commands: on the screen twice, with the command and with its result. */
  readonly outputs: string[] = []
  readonly bodies: { readonly messages: readonly { role: string; content: string | readonly RequestBlock[] }[] }[] = []
  readCount = 0
  /** The gates that hold back the second step of each task until `release`. */
  readonly #gates = new Map<string, { readonly open: () => void; readonly whenOpened: Promise<void> }>()

  /** Lets the model continue after the first step of a task. */
  release(task: number): void {
    this.#getGate(String(task)).open()
  }

  #getGate(task: string) {
    let open = () => {}
    const whenOpened = new Promise<void>((resolve) => {
      open = resolve
    })
    const gate = this.#gates.get(task) ?? { open, whenOpened }
    this.#gates.set(task, gate)
    return gate
  }

  readonly answer = ({ body }: ServerRequest): ServerTurn => {
    this.bodies.push(body)
    const texts = listTexts(body)
    const task = texts.findLast((text) => text.startsWith('Task ')) ?? ''
    const step = this.#steps.get(task) ?? 0
    this.#steps.set(task, step + 1)
    const name = task.replace(/ wait$/, '').replace('Task ', '')
    if (step < STEPS) return this.#makeCalls(name, step)
    if (step === STEPS) return task.endsWith(' wait') ? this.#waitForever() : this.#finish(name)
    return { parts: [{ text: this.#say(`Answer to ${texts.at(-1)?.replace(/:.*/s, '')}.`) }] }
  }

  #makeCalls(task: string, step: number): ServerTurn {
    const reads = Array.from({ length: READS }, (_, index) => ({
      call: 'Read',
      input: { file_path: `f${index}.txt`, limit: 1_000 + 10 * Number(task) + step },
    }))
    const commands = Array.from({ length: COMMANDS }, (_, index) => {
      const output = `output-${task}-${step}-${index}-`
      this.outputs.push(output)
      return { call: 'Bash', input: { command: `echo ${output}` } }
    })
    this.readCount += READS
    const text = this.#say(`Step ${step} of task ${task}.`)
    return {
      parts: [{ text }, ...reads, ...commands],
      pieceSize: 8,
      ...(step === 1 && { gate: this.#getGate(task).whenOpened }),
    }
  }

  #finish(task: string): ServerTurn {
    const lines = Array.from({ length: LINES }, (_, index) => this.#say(`Line ${index} of the answer to task ${task}.`))
    return { parts: [{ text: [...lines, this.#say(`End of task ${task}.`)].join('\n\n') }], pieceSize: 8 }
  }

  #waitForever(): ServerTurn {
    return { parts: [{ call: 'Bash', input: { command: 'sleep 1000' } }] }
  }

  #say(text: string): string {
    this.texts.push(text)
    return text
  }
}

/** The user's texts in a request, without notices of the agent. */
export function listTexts({ messages }: TaskModel['bodies'][number]): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content))
    .flatMap(({ type, text }) => (type === 'text' && text !== undefined && !text.startsWith('<') ? [text] : []))
}
