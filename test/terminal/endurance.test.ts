import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../src/testing/models/server/start-model-server.js'
import { createInteractive } from './interactive-fixture.mjs'
import type { PtyTerminal } from './pty-terminal.mjs'
import { CALLS_PER_TASK, listTexts, TaskModel } from './task-model.js'

/** With HAFT_LONG_TESTS, the test takes an hour and makes 500 calls. */
const TASKS = process.env.HAFT_LONG_TESTS ? 27 : 7
const PASTED_LINES = 500
/** Memory may grow by this much in the second half, mostly garbage. */
const MAX_GROWTH_BYTES = 25e6

const CTRL_O = '\u000f'
const ESCAPE = '\u001b'

test(`work on ${TASKS} tasks with resizes, pastes, interrupts, queued input and suspensions neither loses nor duplicates anything`, async () => {
  const model = new TaskModel()
  const server = await startModelServer([model.answer], { shouldRepeat: true })
  const files = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}.txt`, `content ${index}\n`]))
  const interactive = await createInteractive({ files })
  onTestFinished(async () => {
    await interactive.close()
    await server.close()
  })
  const terminal = interactive.start(['--allowed-tools', 'Bash(sleep:*)'], {
    model: 'anthropic:claude-sonnet-4-5',
    variables: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'a key' },
  })
  await terminal.waitFor('asks before changes')
  const user = new SimulatedUser(terminal, model)

  const halfCount = Math.floor(TASKS / 2)
  for (let task = 0; task < halfCount; task++) await user.run(task)
  const memoryAtHalf = readMemory(terminal.pid)
  for (let task = halfCount; task < TASKS; task++) await user.run(task)
  const memoryAtEnd = readMemory(terminal.pid)
  terminal.type('\u0004')
  await terminal.waitForExit()

  const lines = terminal.readLines()
  const count = (text: string) => lines.filter((line) => line.includes(text)).length
  expect(model.outputs).toHaveLength((TASKS * CALLS_PER_TASK * 3) / 10)
  expect(model.texts.filter((text) => count(text) !== 1)).toEqual([])
  expect(model.outputs.filter((output) => count(output) !== 2)).toEqual([])
  expect(user.prompts.filter((prompt) => lines.filter((line) => line === `▌ ${prompt}`).length !== 1)).toEqual([])
  const readFiles = lines.flatMap((line) => /^● Read (\d+) files/.exec(line)?.[1] ?? [])
  expect(readFiles.reduce((sum, number) => sum + Number(number), 0)).toBe(model.readCount)
  expect(terminal.findForbiddenSequences()).toEqual(user.views.map(() => '\u001b[?1049h'))
  expect(terminal.readModes()).toEqual([])

  const lastRequest = model.bodies.at(-1)
  const receivedTexts = lastRequest === undefined ? [] : listTexts(lastRequest)
  expect(user.sentTexts.filter((text) => receivedTexts.filter((other) => other === text).length !== 1)).toEqual([])
  const transcript = await readTranscript(interactive.home)
  const results = transcript.matchAll(/"type":"tool_result","tool_use_id":"([^"]+)"/g)
  const sentCalls = new Set(Array.from(transcript.matchAll(/"type":"tool_use","id":"([^"]+)"/g), ([, id]) => id))
  expect(new Set(Array.from(results, ([, id]) => id))).toEqual(sentCalls)
  expect(sentCalls.size).toBe(TASKS * CALLS_PER_TASK + user.interruptions)
  expect(memoryAtEnd - memoryAtHalf).toBeLessThan(MAX_GROWTH_BYTES)
}, 900_000)

/** Simulates a user, with a different action in each task. */
class SimulatedUser {
  readonly #terminal: PtyTerminal
  readonly #model: TaskModel
  /** Prompts as they are displayed. */
  readonly prompts: string[] = []
  /** Texts that the model must have received. */
  readonly sentTexts: string[] = []
  readonly views: number[] = []
  /** Texts that must appear before the next prompt. */
  readonly #expectedTexts: string[] = []
  interruptions = 0

  constructor(terminal: PtyTerminal, model: TaskModel) {
    this.#terminal = terminal
    this.#model = model
  }

  async run(task: number): Promise<void> {
    const actions = [
      () => this.#resize(task),
      () => this.#queuePaste(task),
      () => this.#suspend(),
      () => this.#view(task),
      () => this.#steer(task),
      () => {},
      () => this.#typeAndDelete(),
    ]
    const action = task % actions.length
    const isInterrupted = action === 5
    await this.#send(`Task ${task}${isInterrupted ? ' wait' : ''}`)
    await this.#terminal.waitFor(() => this.#model.texts.some((text) => text === `Step 0 of task ${task}.`))
    await this.#terminal.waitFor('Esc to interrupt')
    await actions[action]?.()
    this.#model.release(task)
    if (isInterrupted) await this.#interrupt()
    else this.#expectedTexts.push(`End of task ${task}.`)
    await this.#waitForPrompt()
  }

  async #send(text: string): Promise<void> {
    this.prompts.push(text)
    this.sentTexts.push(text)
    await this.#type(text)
    this.#terminal.type('\r')
    await this.#terminal.waitFor(() => this.#terminal.readText().includes(`▌ ${text}`))
  }

  async #type(text: string): Promise<void> {
    this.#terminal.type(text)
    await this.#terminal.waitFor(`> ${text.trimEnd()}`)
  }

  /** Waits until all turns have ended, including those of queued prompts. */
  async #waitForPrompt(): Promise<void> {
    const texts = this.#expectedTexts.splice(0)
    await this.#terminal.waitFor(() => {
      const text = this.#terminal.readText()
      if (text.includes('Esc to interrupt') || text.includes('queued') || !text.includes('asks before')) return false
      const lines = this.#terminal.readLines()
      return texts.every((expected) => lines.some((line) => line.includes(expected)))
    })
  }

  async #resize(task: number): Promise<void> {
    for (let step = 0; step < 4; step++) {
      const logLength = this.#terminal.log.length
      this.#terminal.resize(60 + ((task * 31 + step * 47) % 90), 15 + ((task * 7 + step * 11) % 30))
      await this.#terminal.waitFor(() => this.#terminal.log.length > logLength)
    }
  }

  async #queuePaste(task: number): Promise<void> {
    const pastedText = Array.from({ length: PASTED_LINES }, (_, index) => `pasted\t${task} ${index} ü漢🙂`).join('\n')
    await this.#type(`Queued ${task}: `)
    this.#terminal.type(`\u001b[200~${pastedText.replaceAll('\n', '\r')}\u001b[201~`)
    await this.#terminal.waitFor(/Pasted text/)
    this.#terminal.type('\t')
    this.sentTexts.push(`Queued ${task}: ${pastedText}`)
    this.#expectedTexts.push(`Answer to Queued ${task}`)
  }

  async #suspend(): Promise<void> {
    process.kill(this.#terminal.pid, 'SIGTSTP')
    await this.#terminal.waitUntilRestored()
    process.kill(this.#terminal.pid, 'SIGCONT')
    await this.#terminal.waitFor(() => this.#terminal.readModes().includes('?2004'))
  }

  async #view(task: number): Promise<void> {
    this.views.push(task)
    this.#terminal.type(CTRL_O)
    await this.#terminal.waitFor('Transcript ·')
    this.#terminal.type('q')
    await this.#terminal.waitFor(() => this.#terminal.terminal.buffer.active.type === 'normal')
  }

  async #steer(task: number): Promise<void> {
    const text = `Also ${task}`
    // New input interrupts running commands.
    await this.#terminal.waitFor(`● Bash echo output-${task}-0-2-`)
    this.prompts.push(text)
    this.sentTexts.push(text)
    await this.#type(text)
    this.#terminal.type('\r')
    await this.#terminal.waitFor('with the next step')
    this.#expectedTexts.push(`▌ ${text}`)
  }

  async #interrupt(): Promise<void> {
    await this.#terminal.waitFor('sleep 1000')
    await this.#terminal.waitFor('Running')
    this.interruptions++
    this.#terminal.type(ESCAPE)
  }

  async #typeAndDelete(): Promise<void> {
    await this.#type('words that are never sent')
    this.#terminal.type('\u0015')
    await this.#terminal.waitFor(/^>$/m)
  }
}

function readMemory(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** The content of the only transcript. */
async function readTranscript(home: string): Promise<string> {
  const folder = join(home, '.haft/projects')
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
}
