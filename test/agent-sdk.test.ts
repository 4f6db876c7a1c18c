import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as haftSdk from '../src/api/sdk.js'

// Apart from the project, because its own dependencies are large. .ci/run installs it.
const SDK = resolve('test/agent-sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs')
const isMissing = !existsSync(SDK) && process.env.HAFT_REQUIRE_PROGRAMS !== '1'
const ADVICE = isMissing ? ' (skipped: npm ci --prefix test/agent-sdk --omit=optional)' : ''

type Program = (sdk: unknown, context: object) => Promise<unknown>
const programs = await loadPrograms()

let folder = ''
const at = (...parts: string[]) => join(folder, ...parts)

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-agent-sdk-')))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))

async function loadPrograms(): Promise<readonly (readonly [string, Program])[]> {
  const path = pathToFileURL(resolve('test/agent-sdk/programs.mjs')).href
  const { programs } = (await import(path)) as { programs: Record<string, Program> }
  return Object.entries(programs)
}

const PROGRAM_HEAD = `
const blocks = ({ messages }) => messages.flatMap(({ content }) => typeof content === 'string' ? [] : content)
const messagesText = ({ messages }) => JSON.stringify(messages)
const use = (name, input) => ({ calls: [{ name, input }] })
`

/** Creates a project and a home folder, and functions that write models for the program. */
async function createContext(name: string): Promise<object> {
  await mkdir(at(name, 'project', '.git'), { recursive: true })
  await mkdir(at(name, 'home'))
  const cwd = at(name, 'project')
  const file = join(cwd, 'a.txt')
  await writeFile(file, 'alpha\n')
  let count = 0
  const write = async (fileName: string, text: string) => {
    const path = at(name, `${count++}-${fileName}`)
    await writeFile(path, text)
    return `scripted:${path}`
  }
  return {
    ...{ cwd, file },
    base: {
      ...{ cwd, env: { PATH: process.env.PATH, HOME: at(name, 'home') } },
      pathToClaudeCodeExecutable: resolve('bin/haft'),
    },
    model: (turns: unknown, fields: object = {}) => write('script.json', JSON.stringify({ turns, ...fields })),
    program: (turns: string) => write('script.mjs', `${PROGRAM_HEAD}export const script = ${turns}\n`),
  }
}

test.skipIf(isMissing).each(programs)(`on the Agent SDK and on haft/sdk, a program %s${ADVICE}`, async (_, run) => {
  const agentSdk = await import(pathToFileURL(SDK).href)

  const expected = await run(agentSdk, await createContext('process'))
  const received = await run(haftSdk, await createContext('in-process'))

  expect(expected).toBeDefined()
  expect(received).toEqual(expected)
  expect(expected).toMatchSnapshot()
})
