import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { bundleLibrary } from '../scripts/build/bundle-library.mjs'
import { evaluate } from '../scripts/build/evaluate.mjs'
import { createFeaturePlugin, readFeatures } from '../scripts/build/features.mjs'
import { BUILD_FLAGS, type Flag } from '../src/contract/build-flags.js'
import type { isDeferredTool as IsDeferredTool } from '../src/contract/tool/deferred-tools.js'

const run = promisify(execFile)
const flagNames = Object.keys(BUILD_FLAGS)
const toolFlags = Object.entries<Flag>(BUILD_FLAGS).flatMap(([name, { adds }]) =>
  adds === undefined ? [] : [{ name, adds }],
)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-features-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Builds the command line with the fixture tools. Returns all its code and the pool it lists. */
async function build(on: readonly string[], off: readonly string[]) {
  const outdir = await mkdtemp(join(folder, 'build-'))
  await bundleCli({ features: await readFeatures({ on, off }), outdir, toolsModule: 'src/testing/fixture-tools.ts' })
  const env = { PATH: process.env.PATH, HAFT_INTERNAL: '1', HAFT_REPL_MODE: '0' }
  const { stdout } = await run(process.execPath, [join(outdir, 'main.js'), 'tools', '--json'], { env })
  const pool = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
  return { text: await readBundle(outdir), pool }
}

async function readBundle(outdir: string): Promise<string> {
  const files = (await readdir(outdir, { recursive: true })).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(join(outdir, file), 'utf8')))
  return texts.join('\n')
}

/** Whether the name occurs as a whole word. Node's event `uncaughtExceptionMonitor` does not count as `Monitor`. */
function hasName(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text)
}

describe('a build flag', () => {
  test.each(toolFlags)(
    '$name leaves none of its strings in a build without it, and adds its tools to a build with it',
    async ({ name, adds }) => {
      // Flags that add the same tool are off as well, so that only the tested flag decides.
      const otherFlags = toolFlags
        .filter((other) => other.name !== name && other.adds.some((tool) => adds.includes(tool)))
        .map((other) => other.name)

      const off = await build([], [name, ...otherFlags])
      const on = await build([name], otherFlags)

      for (const tool of adds) {
        expect(hasName(off.text, tool), `${tool} in the build without ${name}`).toBe(false)
        expect(hasName(on.text, tool), `${tool} in the build with ${name}`).toBe(true)
      }
      expect(on.pool.filter((tool) => !off.pool.includes(tool)).sort()).toEqual([...adds].sort())
    },
  )

  test('such as COORDINATOR_MODE leaves none of its strings in a build without it', async () => {
    const listCoordinatorNamesIn = async (on: string[], off: string[]) =>
      (await build(on, off)).text.match(/\w*coordinator\w*/gi)
    expect(await listCoordinatorNamesIn([], ['COORDINATOR_MODE'])).toBeNull()
    expect(await listCoordinatorNamesIn(['COORDINATOR_MODE'], [])).toContain('HAFT_COORDINATOR_MODE')
  })

  test('that is off leaves nothing in the library either', async () => {
    const outdir = await mkdtemp(join(folder, 'library-'))
    await bundleLibrary({ features: await readFeatures({ off: flagNames }), outdir })
    const text = await readBundle(outdir)
    expect(toolFlags.flatMap(({ adds }) => adds).filter((tool) => hasName(text, tool))).toEqual([])
  })

  test('is always resolved at build time', async () => {
    const { text } = await build([], [])
    for (const name of flagNames) expect(text.includes(`"${name}"`), name).toBe(false)
  })

  test('that does not exist is an error', async () => {
    await expect(readFeatures({ off: ['KAIRO'] })).rejects.toThrow('Unknown build flag KAIRO')
  })
})

describe('isDeferredTool', () => {
  async function buildIsDeferredTool(on: string[], off: string[]): Promise<typeof IsDeferredTool> {
    const module = await evaluate(resolve('src/contract/tool/deferred-tools.ts'), [
      createFeaturePlugin(await readFeatures({ on, off })),
    ])
    return module.isDeferredTool
  }
  const channel = { isBriefChannel: true, isBridgeConnected: true }
  const findTool = (name: string, traits: object = {}) => ({ name, shouldDefer: true, ...traits })

  test.each([
    ['alwaysLoad overrides everything', findTool('X', { alwaysLoad: true, isMcp: true }), false],
    ['MCP tools are deferred', findTool('ToolSearch', { findsTools: true, isMcp: true, shouldDefer: false }), true],
    ['ToolSearch is never deferred', findTool('ToolSearch', { findsTools: true }), false],
    ['Agent is not deferred while sub-agents can fork', findTool('Agent', { startsAgents: true }), false],
    ['Brief is not deferred while it is the channel to the user', findTool('Brief', { userChannel: 'text' }), false],
    [
      'SendUserFile is not deferred while its bridge is connected',
      findTool('SendUserFile', { userChannel: 'files' }),
      false,
    ],
    ['a tool with shouldDefer is deferred', findTool('X'), true],
    ['nothing else is deferred', { name: 'X' }, false],
  ])('with all features: %s', async (_, candidate, expected) => {
    const isDeferredTool = await buildIsDeferredTool(['KAIROS', 'FORK_SUBAGENT'], [])
    expect(isDeferredTool(candidate, channel)).toBe(expected)
  })

  test.each([
    ['Agent is deferred if it has shouldDefer', findTool('Agent', { startsAgents: true })],
    ['Brief is deferred if it has shouldDefer', findTool('Brief', { userChannel: 'text' })],
    ['SendUserFile is deferred if it has shouldDefer', findTool('SendUserFile', { userChannel: 'files' })],
  ])('without the features: %s', async (_, candidate) => {
    const isDeferredTool = await buildIsDeferredTool([], ['KAIROS', 'FORK_SUBAGENT'])
    expect(isDeferredTool(candidate, channel)).toBe(true)
  })

  test('SendUserFile is deferred while its bridge is disconnected, and Brief while it is not the channel to the user', async () => {
    const isDeferredTool = await buildIsDeferredTool(['KAIROS'], [])
    expect(
      isDeferredTool(findTool('SendUserFile', { userChannel: 'files' }), {
        isBriefChannel: true,
        isBridgeConnected: false,
      }),
    ).toBe(true)
    expect(
      isDeferredTool(findTool('Brief', { userChannel: 'text' }), { isBriefChannel: false, isBridgeConnected: true }),
    ).toBe(true)
  })
})
