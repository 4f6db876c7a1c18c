import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { PermissionMode } from '../src/contract/permission/context.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { call, Echo, Read, textOf, Write } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-permissions-')))
  await writeFile(join(folder, 'file'), 'text')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the results folder', () => {
  const LONG_RESULT = 'line of a long result\n'.repeat(5_000)

  async function storeResult(options: Partial<ToolRuntimeOptions> = {}) {
    const runtime = createToolRuntime({
      tools: [Echo, Read, Write],
      cwd: folder,
      permissions: { mode: 'dontAsk', allow: ['Echo'] },
      ...options,
    })
    const [longResult] = await runtime.run([call('Echo', { text: LONG_RESULT })]).results
    const path = /the whole (?:text|output) is in (\S+)\. /.exec(textOf(longResult))?.[1] ?? ''
    return { runtime, path }
  }

  test('can be read without approval but not written', async () => {
    const { runtime, path } = await storeResult()

    const [readResult, writeResult] = await runtime.run([call('Read', { path }), call('Write', { path, text: '' })])
      .results
    const [subResult] = await runtime.fork().run([call('Read', { path })]).results
    const storedText = await readFile(path, 'utf8')
    await runtime.dispose()

    expect(textOf(readResult)).toBe(LONG_RESULT)
    expect(textOf(subResult)).toBe(LONG_RESULT)
    expect([writeResult?.is_error, storedText]).toEqual([true, LONG_RESULT])
  })

  test('cannot be written in acceptEdits mode either', async () => {
    const { runtime, path } = await storeResult({ permissions: { mode: 'acceptEdits', allow: ['Echo'] } })

    const [write] = await runtime.run([call('Write', { path, text: '' })]).results
    await runtime.dispose()

    expect(textOf(write)).toMatch(/outside the working directories/)
  })

  test('grants no access to other folders through dots or links', async () => {
    const { runtime, path } = await storeResult()
    const secret = await mkdtemp(join(tmpdir(), 'haft-secret-'))
    await writeFile(join(secret, 'key'), 'secret')
    await symlink(secret, join(dirname(path), 'link'))

    const results = await runtime.run([
      call('Read', { path: `${dirname(path)}/../${secret.split('/').at(-1)}/key` }, 'a'),
      call('Read', { path: join(dirname(path), 'link/key') }, 'b'),
      call('Read', { path: `${dirname(path)}-other/key` }, 'c'),
    ]).results
    await runtime.dispose()
    await rm(secret, { recursive: true })

    expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true])
  })

  test('cannot be read if a rule denies it', async () => {
    const { runtime, path } = await storeResult({
      permissions: { allow: ['Echo'], deny: [`Read(/${tmpdir()}/**)`] },
    })

    const [readResult] = await runtime.run([call('Read', { path })]).results
    await runtime.dispose()

    expect(textOf(readResult)).toMatch(/denies this call/)
  })

  test.each([
    ['the home folder', () => homedir()],
    ['a parent of the working directory', () => dirname(folder)],
    ['the root', () => '/'],
    ['the folder of all temporary files', () => tmpdir()],
  ])('grants no access if it is %s', async (_, directory) => {
    const runtime = createToolRuntime({ tools: [Read], cwd: folder, storage: { resultsDirectory: directory() } })

    const [readResult] = await runtime.run([call('Read', { path: join(directory(), 'anything') })]).results

    expect(textOf(readResult)).toMatch(/outside the working directories/)
  })

  test('that the host chose can also be read, and still exists after dispose', async () => {
    const resultsDirectory = await mkdtemp(join(tmpdir(), 'haft-kept-'))
    const { runtime, path } = await storeResult({ storage: { resultsDirectory } })

    const [readResult] = await runtime.run([call('Read', { path })]).results
    await runtime.dispose()

    expect(textOf(readResult)).toBe(LONG_RESULT)
    expect(await readFile(path, 'utf8')).toBe(LONG_RESULT)
    await rm(resultsDirectory, { recursive: true })
  })

  test('whose name looks like a pattern grants no access to other folders', async () => {
    const resultsDirectory = join(await mkdtemp(join(tmpdir(), 'haft-kept-')), '[a-z]*')
    await mkdir(resultsDirectory)
    const { runtime, path } = await storeResult({ storage: { resultsDirectory } })

    const [readResult] = await runtime.run([call('Read', { path })]).results

    expect(readResult?.is_error).toBe(true)
    await rm(dirname(resultsDirectory), { recursive: true })
  })
})

describe('a result that was moved to a file', () => {
  const LongTool = buildTool({
    name: 'Long',
    description: 'Returns a long text',
    inputSchema: z.object({}),
    outputSchema: z.string(),
    maxResultSizeChars: 100,
    isReadOnly: () => true,
    call: async () => ({ data: 'long '.repeat(100) }),
  })

  async function createRuntimeWithResult(mode: PermissionMode) {
    const runtime = createToolRuntime({
      tools: [Read, Write, LongTool],
      permissions: { mode, allow: ['Long'] },
      cwd: join(folder, 'project'),
      storage: { resultsDirectory: join(folder, 'sessions/one') },
    })
    await runtime.run([call('Long', {}, 'long')]).results
    return runtime
  }

  beforeEach(async () => {
    await mkdir(join(folder, 'project'))
    await mkdir(join(folder, 'sessions/one-more'), { recursive: true })
    await writeFile(join(folder, 'sessions/one-more/long.txt'), 'of another')
    await writeFile(join(folder, 'sessions/long.txt'), 'of another')
  })

  test.each(['default', 'dontAsk', 'plan', 'acceptEdits'] as const)(
    'can be read without approval in %s mode',
    async (mode) => {
      const runtime = await createRuntimeWithResult(mode)

      const [wholeResult, ...others] = await runtime.run([
        call('Read', { path: join(folder, 'sessions/one/long.txt') }, 'a'),
        call('Read', { path: join(folder, 'sessions/one-more/long.txt') }, 'b'),
        call('Read', { path: join(folder, 'sessions/long.txt') }, 'c'),
        call('Write', { path: join(folder, 'sessions/one/long.txt'), text: 'forged' }, 'd'),
        call('Write', { path: join(folder, 'sessions/one/new.txt'), text: 'forged' }, 'e'),
      ]).results

      expect(wholeResult).toMatchObject({ content: 'long '.repeat(100) })
      expect(wholeResult?.is_error).not.toBe(true)
      expect(others.map(({ is_error }) => is_error)).toEqual([true, true, true, true])
      expect(await readFile(join(folder, 'sessions/one/long.txt'), 'utf8')).toBe('long '.repeat(100))
    },
  )

  test('grants no access to the target of a link in its folder', async () => {
    const runtime = await createRuntimeWithResult('default')
    await symlink(join(folder, 'sessions/long.txt'), join(folder, 'sessions/one/link.txt'))

    const [result] = await runtime.run([call('Read', { path: join(folder, 'sessions/one/link.txt') })]).results

    expect(result?.is_error).toBe(true)
  })

  test('cannot be read if a rule denies it', async () => {
    const runtime = await createRuntimeWithResult('default')
    await runtime.applyUpdates([
      { type: 'addRules', destination: 'session', behavior: 'deny', rules: [`Read(/${folder}/sessions/**)`] },
    ])

    const [result] = await runtime.run([call('Read', { path: join(folder, 'sessions/one/long.txt') })]).results

    expect(result?.is_error).toBe(true)
  })
})
