import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckpointsPort } from '../src/contract/ports/checkpoints.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import {
  createNotebook,
  FILE_CALLS,
  FILE_TOOLS,
  type FileCall,
  TARGET_NAMES,
  toTargetPath,
} from '../src/testing/files/file-calls.js'
import { call, textOf } from './runtime-fixtures.js'

/** The folders in which hooks and checkpoints are tested with each of the real tools. */
const FOLDERS = ['src', 'other', '.git/hooks'] as const
const OLD_TEXT = 'needle'
const NEW_TEXT = 'replaced'
const WRITING_CALLS = FILE_CALLS.filter(({ does }) => does === 'writes')
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'haft-file-hooks-')))
  for (const folder of FOLDERS) {
    await mkdir(join(cwd, folder), { recursive: true })
    await writeFile(join(cwd, folder, TARGET_NAMES.file), `${OLD_TEXT}\n`)
    await writeFile(join(cwd, folder, TARGET_NAMES.notebook), createNotebook(OLD_TEXT))
  }
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const createInputIn = (fileCall: FileCall, folder: string) =>
  fileCall.input(toTargetPath(folder, fileCall.on), OLD_TEXT, NEW_TEXT)

/** Makes one call in `src`, after all files have been read. */
async function runCall(
  fileCall: FileCall,
  options: Partial<ToolRuntimeOptions>,
  input: unknown = createInputIn(fileCall, 'src'),
) {
  const questions: string[] = []
  const runtime = createToolRuntime({
    ...{ tools: FILE_TOOLS, cwd, permissions: { mode: 'acceptEdits' } },
    async ask({ toolUseId, message }) {
      if (toolUseId === 'call') questions.push(message)
      return { behavior: 'deny' }
    },
    ...options,
  })
  await runtime.run(
    FOLDERS.flatMap((folder) =>
      // A different range from that of the call, which would otherwise be answered as unchanged.
      (['file', 'notebook'] as const).map((on) =>
        call('Read', { file_path: toTargetPath(folder, on), limit: 9 }, `known-${folder}-${on}`),
      ),
    ),
  ).results
  const [result] = await runtime.run([call(fileCall.tool, input, 'call')]).results
  await runtime.dispose()
  return { isError: result?.is_error === true, text: textOf(result), asked: questions }
}

async function isChanged({ on }: FileCall, folder: string): Promise<boolean> {
  if (on === 'folder') return false
  return (await readFile(join(cwd, folder, TARGET_NAMES[on]), 'utf8')).includes(NEW_TEXT)
}

/** Options with a function as the only hook of an event, for the tested call and not for the reads before it. */
function createHookOptions(event: string, run: (input: { tool_response: unknown }) => unknown) {
  const runForTestedCall = (input: { tool_use_id: string; tool_response: unknown }) =>
    input.tool_use_id === 'call' ? { hookSpecificOutput: run(input) } : undefined
  return { hooks: { [event]: [{ hooks: [{ type: 'function', run: runForTestedCall }] }] } }
}

describe.each(FILE_CALLS)('$tool of a $on, with an input that a hook changed', (fileCall) => {
  const createRedirectingHook = (updatedInput: unknown) =>
    createHookOptions('PreToolUse', () => ({ permissionDecision: 'allow', updatedInput }))

  test('uses the input from the hook and nothing else', async () => {
    const { isError, text } = await runCall(fileCall, createRedirectingHook(createInputIn(fileCall, 'other')))

    expect([isError, await isChanged(fileCall, 'src')]).toEqual([false, false])
    if (fileCall.does === 'writes') expect(await isChanged(fileCall, 'other')).toBe(true)
    else
      expect(text).toContain(
        fileCall.tool === 'Read' || fileCall.on === 'file' ? OLD_TEXT : `other/${TARGET_NAMES.file}`,
      )
  })

  test('is decided by the rules for the changed input, which the hook cannot override with allow', async () => {
    const family = fileCall.does === 'reads' ? 'Read' : 'Edit'
    const rule = [`${family}(other/**)`]
    const deniedResult = await runCall(fileCall, {
      ...createRedirectingHook(createInputIn(fileCall, 'other')),
      permissions: { deny: rule },
    })
    const askedResult = await runCall(fileCall, {
      ...createRedirectingHook(createInputIn(fileCall, 'other')),
      permissions: { ask: rule },
    })

    expect([deniedResult.isError, deniedResult.asked, askedResult.isError]).toEqual([true, [], true])
    expect(askedResult.asked).toHaveLength(1)
    expect(await isChanged(fileCall, 'other')).toBe(false)
    for (const { text } of [deniedResult, askedResult])
      expect(text.split('[A hook changed the input')[0]).not.toContain(OLD_TEXT)
  })

  test('is validated again by the schema and by the tool', async () => {
    const [field = ''] = Object.keys(createInputIn(fileCall, 'src'))
    for (const invalidInput of [{ [field]: 7 }, {}, { ...createInputIn(fileCall, 'src'), more: 1 }]) {
      const { isError, text, asked } = await runCall(fileCall, createRedirectingHook(invalidInput))
      expect([isError, asked]).toEqual([true, []])
      expect(text).not.toContain(OLD_TEXT)
    }
    const path = `${toTargetPath('src', fileCall.on)}\0`
    expect((await runCall(fileCall, createRedirectingHook(fileCall.input(path, OLD_TEXT, NEW_TEXT)))).isError).toBe(
      true,
    )
    expect(await isChanged(fileCall, 'src')).toBe(false)
  })
})

test.each([
  ['Read', { file_path: 'src/plain.txt', pages: 'all' }],
  ['Glob', { pattern: 'src/\0' }],
  ['Grep', { pattern: '\0', path: 'src' }],
  ['Edit', { file_path: 'src/plain.txt', old_string: OLD_TEXT, new_string: OLD_TEXT }],
  ['MultiEdit', { file_path: 'src/plain.txt', edits: [{ old_string: OLD_TEXT, new_string: OLD_TEXT }] }],
  ['ApplyPatch', { patch: 'nonsense' }],
  ['NotebookEdit', { notebook_path: 'src/book.ipynb', new_source: NEW_TEXT }],
])('%s reports what is wrong with an input from a hook', async (tool, updatedInput) => {
  const fileCall = FILE_CALLS.find((candidate) => candidate.tool === tool) as FileCall
  const { text } = await runCall(
    fileCall,
    createHookOptions('PreToolUse', () => ({ updatedInput })),
  )

  expect(text).toMatch(/^A hook changed the input to one that \w+ does not accept\. \S/)
})

test.each(WRITING_CALLS)(
  '$tool asks about a protected file even if a hook redirected it there and allows it',
  async (fileCall) => {
    const updatedInput = createInputIn(fileCall, '.git/hooks')
    const { isError, asked } = await runCall(
      fileCall,
      createHookOptions('PreToolUse', () => ({ permissionDecision: 'allow', updatedInput })),
    )

    expect([isError, asked.length, await isChanged(fileCall, '.git/hooks')]).toEqual([true, 1, false])
  },
)

describe.each(FILE_CALLS)('the output of $tool of a $on', (fileCall) => {
  const REVEALING_TEXT = new RegExp(`${OLD_TEXT}|${NEW_TEXT}|plain\\.txt|book\\.ipynb`, 'g')

  test('can be replaced by a hook', async () => {
    const mask = (value: unknown) => JSON.parse(JSON.stringify(value).replace(REVEALING_TEXT, 'masked'))
    const { isError, text } = await runCall(
      fileCall,
      createHookOptions('PostToolUse', ({ tool_response }) => ({ updatedToolOutput: mask(tool_response) })),
    )

    expect([isError, text.match(REVEALING_TEXT)]).toEqual([false, null])
    expect(text).toContain('masked')
  })

  test('is withheld if the replacement from a hook is invalid', async () => {
    const { isError, text } = await runCall(
      fileCall,
      createHookOptions('PostToolUse', () => ({ updatedToolOutput: { wrong: true } })),
    )

    expect(isError).toBe(true)
    expect(text).toMatch(/does not match its schema, so the output is withheld/)
    expect(text).not.toContain(OLD_TEXT)
  })
})

describe('a checkpoint', () => {
  /** Options that log the permission decision, and whether the file is changed when it is saved and when it is settled. */
  function createLoggedOptions(fileCall: FileCall, folder = 'src') {
    const log: string[] = []
    const logState = async (label: string) =>
      void log.push(`${label}, ${(await isChanged(fileCall, folder)) ? 'changed' : 'unchanged'}`)
    const checkpoints: CheckpointsPort = {
      save: (_, writes) => logState(`kept ${writes.join(' ')}`),
      settle: () => logState('settled'),
    }
    const onEvent: ToolRuntimeOptions['onEvent'] = (event) => {
      if (event.type === 'permission-decided' && event.toolUseId === 'call') log.push(event.behavior)
    }
    return { log, options: { ports: { checkpoints }, onEvent } }
  }

  test.each(WRITING_CALLS)('of $tool is taken after the permission and before the change', async (fileCall) => {
    const { log, options } = createLoggedOptions(fileCall)
    await runCall(fileCall, options)

    const file = join(cwd, toTargetPath('src', fileCall.on))
    expect(log).toEqual(['allow', `kept ${file}, unchanged`, 'settled, changed'])
  })

  test.each(WRITING_CALLS)('of $tool saves the file that a hook redirected it to', async (fileCall) => {
    const { log, options } = createLoggedOptions(fileCall, 'other')
    const updatedInput = createInputIn(fileCall, 'other')
    await runCall(fileCall, { ...options, ...createHookOptions('PreToolUse', () => ({ updatedInput })) })

    const file = join(cwd, toTargetPath('other', fileCall.on))
    expect(log).toEqual(['allow', `kept ${file}, unchanged`, 'settled, changed'])
  })

  test.each(FILE_CALLS)(
    'of $tool of a $on is not taken if the call is denied, invalid or read-only',
    async (fileCall) => {
      const { log, options } = createLoggedOptions(fileCall)
      const denyRules = [`${fileCall.does === 'reads' ? 'Read' : 'Edit'}(src/**)`]
      await runCall(fileCall, { ...options, permissions: { deny: denyRules } })
      await runCall(fileCall, { ...options, permissions: { ask: [fileCall.tool] } })
      await runCall(fileCall, {
        ...options,
        ...createHookOptions('PreToolUse', () => ({ permissionDecision: 'deny' })),
      })
      await runCall(fileCall, options, {})
      if (fileCall.does === 'reads') await runCall(fileCall, options)

      expect(log.filter((entry) => entry !== 'deny' && entry !== 'allow')).toEqual([])
      expect(await isChanged(fileCall, 'src')).toBe(false)
    },
  )

  test.each(WRITING_CALLS)('of $tool that cannot be taken prevents the change', async (fileCall) => {
    const checkpoints = { save: () => Promise.reject(new Error('disk full')), settle: async () => {} }
    const { isError, text } = await runCall(fileCall, { ports: { checkpoints } })

    expect([isError, await isChanged(fileCall, 'src')]).toEqual([true, false])
    expect(text).toContain('disk full')
  })
})
