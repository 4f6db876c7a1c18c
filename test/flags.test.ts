import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { evaluate } from '../scripts/build/evaluate.mjs'
import { createFeaturePlugin, readFeatures } from '../scripts/build/features.mjs'
import { BUILD_FLAGS } from '../src/contract/build-flags.js'
import { ENVIRONMENT_FLAGS, RUNTIME_FLAGS } from '../src/contract/flags.js'
import type { Tool } from '../src/contract/tool/tool.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, writeModel, run } = createHeadlessFixture()

/** What a flag must do to the pool when it is switched on. */
interface FlagEffect {
  readonly adds?: readonly string[]
  readonly removes?: readonly string[]
  /** All tools that remain, if the flag is a mode. */
  readonly keeps?: readonly string[]
  /** Without this tool, the flag has no effect. */
  /** Further variables, so that only this flag decides. */
  readonly variables?: Record<string, string>
}

const TASK_TOOLS = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate']
/** The primitives that a model gets which edits with Edit and not with patches. */
const PRIMITIVES = [...['Bash', 'Edit', 'Glob', 'Grep', 'MultiEdit', 'NotebookEdit', 'Read', 'Write']]

/** The flags that environment variables set, as the specification of the pool describes them. */
const VARIABLE_FLAGS: Record<string, FlagEffect> = {
  HAFT_INTERNAL: { adds: ['Config', 'SuggestBackgroundPR', 'Terminal'], variables: { HAFT_REPL_MODE: '0' } },
  HAFT_SIMPLE: { keeps: ['Bash', 'Edit', 'Read'] },
  HAFT_REPL_MODE: { removes: PRIMITIVES },
  ENABLE_LSP_TOOL: { adds: ['LSP'] },
  HAFT_EMBEDDED_SEARCH: { removes: ['Glob', 'Grep'] },
  HAFT_DISABLE_EXPERIMENTAL_BETAS: {},
  HAFT_POWERSHELL: { adds: ['PowerShell'] },
  HAFT_TASK_LIST_V2: { adds: TASK_TOOLS, removes: ['TodoWrite'] },
  HAFT_WORKTREE_MODE: { adds: ['EnterWorktree', 'ExitWorktree'] },
  HAFT_AGENT_TEAMS: { adds: ['SendMessage', 'TeamCreate', 'TeamDelete'] },
  HAFT_TOOL_SEARCH: { adds: ['ToolSearch'] },
  HAFT_COORDINATOR_MODE: {
    keeps: [
      ...['Agent', 'EnterPlanMode', 'ExitPlanMode', 'SendMessage', 'TaskOutput', 'TaskStop', 'ToolSearch'],
      ...['TeamCreate', 'TeamDelete', 'Brief', ...TASK_TOOLS],
    ],
  },
}

/** The tools of each build flag, as the same specification describes them. */
const BUILD_FLAG_TOOLS: Record<keyof typeof BUILD_FLAGS, readonly string[]> = {
  COORDINATOR_MODE: [],
  KAIROS: ['SendUserFile', 'Sleep'],
  PROACTIVE: ['Sleep'],
  WEB_BROWSER_TOOL: ['WebBrowser'],
  HISTORY_SNIP: ['Snip'],
  FORK_SUBAGENT: [],
  AGENT_TRIGGERS: ['CronCreate', 'CronDelete', 'CronList', 'RemoteTrigger'],
  MONITOR: ['Monitor'],
  WORKFLOW: ['Workflow'],
  PUSH_NOTIFICATION: ['PushNotification'],
  PR_TOOLS: ['SubscribePR', 'SuggestBackgroundPR'],
}

const flagNames = Object.keys(BUILD_FLAGS) as (keyof typeof BUILD_FLAGS)[]
const subtract = (names: readonly string[], others: readonly string[]) => names.filter((name) => !others.includes(name))

test('the tables name every flag', () => {
  expect(Object.keys(VARIABLE_FLAGS).sort()).toEqual(Object.keys({ ...ENVIRONMENT_FLAGS, ...RUNTIME_FLAGS }).sort())
  expect(Object.keys(BUILD_FLAG_TOOLS).sort()).toEqual([...flagNames].sort())
})

/** The real list of built-in tools in a build with these features. */
async function listTools(on: readonly string[], off: readonly string[]): Promise<readonly Tool[]> {
  const features = await readFeatures({ on, off })
  return (await evaluate(resolve('src/tools/index.ts'), [createFeaturePlugin(features)])).builtInTools
}

test('every tool that a flag names exists', async () => {
  const builtNames = (await listTools(flagNames, [])).map(({ name }) => name)
  const named = [...Object.values(VARIABLE_FLAGS).flatMap(listNames), ...Object.values(BUILD_FLAG_TOOLS).flat()]

  expect(subtract([...new Set(named)], builtNames)).toEqual([])
})

function listNames({ adds = [], removes = [], keeps = [] }: FlagEffect): readonly string[] {
  return [...adds, ...removes, ...keeps]
}

/** The pool of a session of the built command line, as it reports it. */
async function readPool(variables: Record<string, string>): Promise<readonly string[]> {
  const settings = JSON.stringify({ web: { search: { provider: 'searxng', url: 'http://127.0.0.1:9' } } })
  const args = ['-p', 'Go', '--output-format', 'stream-json', '--settings', settings]
  const PATH = `${at('programs')}:${process.env.PATH}`
  const { stdout, stderr } = await run([...args, ...(await writeModel(['Done.']))], {
    variables: { PATH, ...variables },
  })
  const start = stdout.split('\n').find((line) => line.includes('"init"'))
  if (start === undefined) throw new Error(`The session did not start: ${stderr}`)
  return (JSON.parse(start) as { tools: string[] }).tools
}

test('each flag does to the pool of a real session what it must do', async () => {
  // Tools that need a program are offered only if it is installed.
  await mkdir(at('programs'))
  for (const program of ['pwsh', 'gh']) {
    await writeFile(at(`programs/${program}`), '#!/bin/sh\n')
    await chmod(at(`programs/${program}`), 0o755)
  }
  const table: Record<string, object> = {}
  const expectedTable: Record<string, object> = {}

  for (const [flag, effect] of Object.entries(VARIABLE_FLAGS)) {
    const off = await readPool({ ...effect.variables, [flag]: '0' })
    const on = await readPool({ ...effect.variables, [flag]: '1' })
    table[flag] = { adds: subtract(on, off), removes: subtract(off, on) }
    expectedTable[flag] = expectEffect(effect, off)
  }

  expect(table).toEqual(expectedTable)
}, 300_000)

function expectEffect({ adds = [], removes = [], keeps }: FlagEffect, off: readonly string[]): object {
  return keeps === undefined ? { adds, removes } : { adds: [], removes: subtract(off, keeps) }
}

test('each build flag adds its tools to the real list', async () => {
  const table: Record<string, readonly string[]> = {}
  const offNames = (await listTools([], flagNames)).map(({ name }) => name)

  for (const flag of flagNames) {
    const otherFlags = flagNames.filter((other) => other !== flag)
    const onNames = (await listTools([flag], otherFlags)).map(({ name }) => name)
    table[flag] = subtract(onNames, offNames).toSorted()
  }

  expect(table).toEqual(Object.fromEntries(flagNames.map((flag) => [flag, BUILD_FLAG_TOOLS[flag].toSorted()])))
}, 300_000)

test('a build without flags has no code of the real tools behind them, and one with all flags has it', async () => {
  const flaggedNames = Object.values(BUILD_FLAG_TOOLS).flat()
  const tools = (await listTools(flagNames, [])).filter(({ name }) => flaggedNames.includes(name))
  expect(tools.length).toBeGreaterThan(0)

  const [withoutFlags, withFlags] = [await bundleTexts([], flagNames), await bundleTexts(flagNames, [])]

  for (const { name, searchHint = name } of tools) {
    expect([name, withoutFlags.includes(searchHint), new RegExp(`\\b${name}\\b`).test(withoutFlags)]).toEqual([
      ...[name, false, false],
    ])
    expect([name, withFlags.includes(searchHint)]).toEqual([name, true])
  }
}, 300_000)

/** All code of a command line with the real tools and these features. */
async function bundleTexts(on: readonly string[], off: readonly string[]): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'haft-flags-'))
  try {
    await bundleCli({ features: await readFeatures({ on, off }), outdir })
    const files = (await readdir(outdir, { recursive: true })).filter((file) => file.endsWith('.js'))
    return (await Promise.all(files.map((file) => readFile(join(outdir, file), 'utf8')))).join('\n')
  } finally {
    await rm(outdir, { recursive: true })
  }
}
