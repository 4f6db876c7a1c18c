import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../src/testing/models/server/start-model-server.js'
import { createInteractive, findProgram } from './interactive-fixture.mjs'
import { TaskModel } from './task-model.js'

const KILLS = process.env.HAFT_LONG_TESTS ? 50 : 10
/** The maximum number of output chunks to wait for before a kill: about as many as a task has. */
const MAX_PIECES = 60
const SEED = 20_261_117

test(`after being killed at ${KILLS} random points, haft restores the terminal and resumes with every result`, async () => {
  const model = new TaskModel()
  const server = await startModelServer([model.answer], { shouldRepeat: true })
  const files = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}.txt`, `content ${index}\n`]))
  const interactive = await createInteractive({ files })
  onTestFinished(async () => {
    await interactive.close()
    await server.close()
  })
  const options = {
    model: 'anthropic:claude-sonnet-4-5',
    variables: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'a key' },
    isInShell: true,
  }
  const random = createRandom(SEED)
  let knownResults = new Map<string, unknown>()
  /** The descriptions of calls for the model, by call id. */
  const calls = new Map<string, string>()

  for (let kill = 0; kill < KILLS; kill++) {
    model.release(kill)
    const firstRequest = model.bodies.length
    const hasSession = (await listTranscripts(interactive.home)).length > 0
    const terminal = interactive.start([...(hasSession ? ['--continue'] : []), `Task ${kill}`], options)
    await terminal.waitFor('asks before changes')
    const program = findProgram(terminal)
    const pieces = terminal.log.length + Math.floor(random() * MAX_PIECES)
    await terminal.waitFor(() => terminal.log.length >= pieces || terminal.readText().includes(`End of task ${kill}.`))
    if (kill % 4 === 3) {
      terminal.type('\u000f')
      await terminal.waitFor('Transcript ·')
    }
    process.kill(program, 'SIGKILL')
    await terminal.waitUntilRestored()
    expect(terminal.readModes()).toEqual([])
    expect(terminal.terminal.buffer.active.type).toBe('normal')
    terminal.close()

    const request = model.bodies[firstRequest]
    if (request !== undefined) expect(findResults(request, knownResults, calls)).toEqual(knownResults)
    const transcripts = await listTranscripts(interactive.home)
    expect(transcripts.length).toBeLessThanOrEqual(1)
    const lines = transcripts.flatMap(readLines)
    for (const { toolUseId, toolName, input } of lines)
      if (input !== undefined) calls.set(String(toolUseId), `${toolName}(${JSON.stringify(input)}):`)
    knownResults = new Map([...knownResults, ...readResults(lines)])
  }

  const terminal = interactive.start(['--continue', `Task ${KILLS}`], options)
  model.release(KILLS)
  await terminal.waitFor(`End of task ${KILLS}.`)
  expect(knownResults.size).toBeGreaterThan(KILLS)
  expect(findResults(model.bodies.at(-1), knownResults, calls)).toEqual(knownResults)
}, 900_000)

/** Collects the tool results that a value contains, by call id. */
function readResults(value: unknown): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map()
  const results = Object.values(value).flatMap((part) => [...readResults(part)])
  if ('type' in value && value.type === 'tool_result' && 'tool_use_id' in value && 'content' in value)
    results.push([String(value.tool_use_id), value.content])
  return new Map(results)
}

/**
 * Finds the results with these ids in a request. If the message with the call was incomplete, the result is a text
 * after the description of the call.
 */
function findResults(
  request: unknown,
  ids: ReadonlyMap<string, unknown>,
  calls: ReadonlyMap<string, string>,
): Map<string, unknown> {
  const results = readResults(request)
  const texts = readTexts(request)
  const findText = (id: string) => texts[texts.indexOf(calls.get(id) ?? '') + 1]
  return new Map(Array.from(ids.keys(), (id) => [id, results.has(id) ? results.get(id) : findText(id)]))
}

function readTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const texts = Object.values(value).flatMap(readTexts)
  return 'text' in value && typeof value.text === 'string' ? [...texts, value.text] : texts
}

async function listTranscripts(home: string): Promise<string[]> {
  const folder = join(home, '.haft/projects')
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name))
}

/** The lines of a transcript, without a last line that is incomplete. */
function readLines(path: string): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}

/** A small generator of random numbers (mulberry32), so that each run kills at the same points. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixedState = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedState = (mixedState + Math.imul(mixedState ^ (mixedState >>> 7), 61 | mixedState)) ^ mixedState
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 2 ** 32
  }
}
