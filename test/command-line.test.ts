import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAssembly } from '../src/assembly/create-assembly.js'
import { readEnvironment } from '../src/assembly/read-environment.js'
import { createPermissionContext } from '../src/contract/permission/context.js'
import { isDeferredTool } from '../src/contract/tool/deferred-tools.js'
import { getConstantTrait } from '../src/contract/tool/traits.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { builtInTools } from '../src/tools/index.js'

const bin = resolve('bin/haft')
const cleanEnvironment = { PATH: process.env.PATH, HOME: process.env.HOME }

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function runHaft(args: string[], env: Record<string, string | undefined> = cleanEnvironment): Promise<Outcome> {
  const outcome = promisify(execFile)(process.execPath, [bin, ...args], { env })
  return outcome.then(({ stdout, stderr }) => ({ code: 0, stdout, stderr })).catch((error) => error as Outcome)
}

test('bin/haft is executable', async () => {
  expect((await stat(bin)).mode & 0o111).not.toBe(0)
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const { stdout } = await promisify(execFile)(bin, ['--version'])
  expect(stdout).toBe(`${version}\n`)
})

test('haft call offers no background work, because it would end with the command', async () => {
  const call = (input: object) => runHaft(['call', 'Bash', JSON.stringify(input), '--allowed-tools', 'Bash'])
  const background = await call({ command: 'touch /dev/null; sleep 5', run_in_background: true })
  expect(background).toMatchObject({ code: 1, stdout: expect.stringContaining('Background tasks cannot be read here') })
  const timedOut = await call({ command: 'touch /dev/null; tail -f /dev/null', timeout: 200 })
  expect(timedOut).toMatchObject({ code: 1, stdout: expect.stringContaining('Timed out after 0.2 s') })
  expect(timedOut.stdout).not.toContain('background')
})

describe('haft tools --json', () => {
  test.each([[{}], [{ HAFT_SIMPLE: '1' }], [{ HAFT_TASK_LIST_V2: '0' }], [{ HAFT_COORDINATOR_MODE: '1' }]])(
    'reports the same definitions as the tools themselves, with %j',
    async (variables) => {
      const { environment } = readEnvironment(variables, process.platform)
      const pool = createAssembly({ baseTools: builtInTools, env: environment }).assembleToolPool(
        createPermissionContext(),
        [],
      )

      const { stdout } = await runHaft(['tools', '--json'], { ...cleanEnvironment, ...variables })

      expect(JSON.parse(stdout)).toEqual(
        pool.map((tool) => ({
          name: tool.name,
          aliases: tool.aliases ?? [],
          deferred: isDeferredTool(tool),
          readOnly: getConstantTrait(tool, 'isReadOnly'),
          concurrencySafe: getConstantTrait(tool, 'isConcurrencySafe'),
          source: 'built-in',
          ...(tool.searchHint && { searchHint: tool.searchHint }),
        })),
      )
    },
  )
})

test('haft prints one plain line and exits with code 2 after wrong usage', async () => {
  expect(await runHaft(['frobnicate'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'haft: unknown command "frobnicate". See haft --help.\n',
  })
})

test('haft does not fail if the reader of its output closes the pipe early', async () => {
  const child = spawn(process.execPath, [bin, 'tools', '--json'], {
    env: cleanEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdout.destroy()
  await new Promise((done) => child.on('close', done))
  expect(stderr).toBe('')
})

test('haft prints one line and exits with code 1 if the disk is full', async () => {
  const child = spawn('sh', ['-c', `exec ${process.execPath} ${bin} tools --json > /dev/full`], {
    env: cleanEnvironment,
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((done) => child.on('close', done))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^haft: cannot write the output: [^\n]*ENOSPC[^\n]*\n$/)
})

test('haft prints one line and exits with code 1 if a run can never continue', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-never-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const script = join(folder, 'never.mjs')
  await writeFile(script, `export const script = ['Hello.']\nawait new Promise(() => {})\n`)
  const run = promisify(execFile)(process.execPath, [bin, '-p', 'Hello?', '--model', `scripted:${script}`], {
    env: { ...cleanEnvironment, HOME: folder },
  })
  run.child.stdin?.end()
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^haft: internal error: exited while [^\n]+\n$/),
  })
})

describe('start-up loads only what the command needs', () => {
  /** The chunks of the build that a command opens, and the network sockets it creates. */
  async function traceLoads(args: string[]) {
    const { stderr } = await promisify(execFile)(
      'strace',
      ['-f', '-e', 'trace=openat,socket', process.execPath, bin, ...args],
      {
        env: cleanEnvironment,
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    const parts = [...stderr.matchAll(/"[^"]*\/dist\/cli\/([^"]+\.cjs)"/g)].map(([, part]) => part ?? '')
    return { parts: [...new Set(parts)], sockets: stderr.match(/socket\(AF_INET6?,/g) ?? [] }
  }

  async function measureTotalSize(parts: readonly string[]): Promise<number> {
    const sizes = await Promise.all(parts.map(async (part) => (await stat(join('dist/cli', part))).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  const testWithStrace = testWithProgram('strace')
  testWithStrace('--version loads only the entry point and uses no network', async () => {
    const { parts, sockets } = await traceLoads(['--version'])
    expect(sockets).toEqual([])
    expect(parts).toContain('main.cjs')
    expect(await measureTotalSize(parts)).toBeLessThan(17_000)
  })

  testWithStrace('tools --json loads no tool and no schema library', async () => {
    const { parts, sockets } = await traceLoads(['tools', '--json'])
    expect(sockets).toEqual([])
    expect(await measureTotalSize(parts)).toBeLessThan(67_000)
  })
})

test('the bundle contains only the part of the schema library that tools use', async () => {
  const files = (await readdir('dist/cli/parts', { recursive: true })).filter((file) => /\.[cm]js$/.test(file))
  const texts = await Promise.all(files.map((file) => readFile(join('dist/cli/parts', file), 'utf8')))
  expect(texts.some((text) => text.includes('Invalid input'))).toBe(true)
  // A word of zod's German messages, which are bundled with all other locales if zod is imported as a whole.
  expect(texts.filter((text) => text.includes('erwartet'))).toEqual([])
})
