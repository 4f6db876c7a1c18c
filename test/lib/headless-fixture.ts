import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { ScriptTurn } from '../../src/providers/scripted/script.js'
import { HaftProcess, runHaft } from './haft-process.js'

const bin = resolve('bin/haft')

type Turns = readonly (ScriptTurn | string)[]

const PROGRAM_HEAD = `
const textOf = (content) => typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
const blocks = ({ messages }) => messages.flatMap(({ content }) => typeof content === 'string' ? [] : content)
const results = (request) =>
  blocks(request).filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content))
const messagesText = ({ messages }) => JSON.stringify(messages)
const use = (name, input, id) => ({ calls: [{ name, input, ...(id !== undefined && { id }) }] })
`

interface RunOptions {
  readonly input?: string | Uint8Array
  readonly variables?: Record<string, string>
  /** The folder to run in instead of the project. */
  readonly cwd?: string
}

/** A new project and home folder for each test, and functions that run the built command in them. */
export function createHeadlessFixture() {
  let folder = ''
  const at = (...parts: string[]) => join(folder, ...parts)

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-headless-')))
    await mkdir(at('project', '.git'), { recursive: true })
    await mkdir(at('home'))
    await writeFile(at('project', 'a.txt'), 'alpha\n')
  })
  // Background processes of the command may still write their last files.
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))

  const getFolders = () => ({ cwd: at('project'), home: at('home') })
  return {
    at,
    file: (name: string) => at('project', name),
    /** Writes a scripted model with these turns. Returns the arguments for it. */
    async writeModel(turns: Turns, scriptFields: object = {}): Promise<string[]> {
      const path = at(`script-${Math.random()}.json`)
      await writeFile(path, JSON.stringify({ turns, ...scriptFields }))
      return ['--model', `scripted:${path}`]
    },
    /**
     * Writes a model that is a program, and returns the arguments for it. The script is an expression in which `use`
     * makes a turn with one call, `results` returns the texts of the results in a request, and `messagesText` returns
     * all its messages as JSON.
     */
    async writeProgram(script: string): Promise<string[]> {
      const path = at(`program-${Math.random()}.mjs`)
      await writeFile(path, `${PROGRAM_HEAD}export const script = ${script}\n`)
      return ['--model', `scripted:${path}`]
    },
    run: (args: readonly string[], options: RunOptions = {}) => runHaft(bin, args, { ...getFolders(), ...options }),
    start: (args: readonly string[], variables?: Record<string, string>) =>
      new HaftProcess(bin, args, { ...getFolders(), ...(variables && { variables }) }),
  }
}

export const call = (name: string, input: object): ScriptTurn => ({ calls: [{ name, input }] })
