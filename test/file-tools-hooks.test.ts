import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckpointsPort } from '../src/contract/ports/checkpoints.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import {
  FILE_CALLS,
  FILE_TOOLS,
  type FileCall,
  notebookOf,
  TARGET_NAMES,
  targetIn,
} from '../src/testing/files/file-calls.js'
import { call, textOf } from './runtime-fixtures.js'

/** The folders in which hooks and checkpoints are tested with each of the real tools. */
const FOLDERS = ['src', 'other', '.git/hooks'] as const
const BEFORE = 'needle'
const AFTER = 'replaced'
const WRITERS = FILE_CALLS.filter(({ does }) => does === 'writes')
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'haft-file-hooks-')))
  for (const folder of FOLDERS) {
    await mkdir(join(cwd, folder), { recursive: true })
    await writeFile(join(cwd, folder, TARGET_NAMES.file), `${BEFORE}\n`)
    await writeFile(join(cwd, folder, TARGET_NAMES.notebook), notebookOf(BEFORE))
  }
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const inputIn = (each: FileCall, folder: string) => each.input(targetIn(folder, each.on), BEFORE, AFTER)

/** Makes one call in `src`; all files have been read before. */
async function answer(each: FileCall, options: Partial<ToolRuntimeOptions>, input: unknown = inputIn(each, 'src')) {
  const asked: string[] = []
  const runtime = createToolRuntime({
    ...{ tools: FILE_TOOLS, cwd, permissions: { mode: 'acceptEdits' } },
    async ask({ toolUseId, message }) {
      if (toolUseId === 'call') asked.push(message)
      return { behavior: 'deny' }
    },
    ...options,
  })
  await runtime.run(
    FOLDERS.flatMap((folder) =>
      // A different range from that of the call, which would otherwise be answered as unchanged.
      (['file', 'notebook'] as const).map((on) =>
        call('Read', { file_path: targetIn(folder, on), limit: 9 }, `known-${folder}-${on}`),
      ),
    ),
  ).results
  const [result] = await runtime.run([call(each.tool, input, 'call')]).results
  await runtime.dispose()
  return { isError: result?.is_error === true, text: textOf(result), asked }
}

async function isChanged({ on }: FileCall, folder: string): Promise<boolean> {
  if (on === 'folder') return false
  return (await readFile(join(cwd, folder, TARGET_NAMES[on]), 'utf8')).includes(AFTER)
}

/** Installs a function as the only hook of an event, for the tested call and not for the reads before it. */
function hook(event: string, run: (input: { tool_response: unknown }) => unknown) {
  const runForTestedCall = (input: { tool_use_id: string; tool_response: unknown }) =>
    input.tool_use_id === 'call' ? { hookSpecificOutput: run(input) } : undefined
  return { hooks: { [event]: [{ hooks: [{ type: 'function', run: runForTestedCall }] }] } }
}

describe.each(FILE_CALLS)('$tool of a $on, with an input that a hook changed', (each) => {
  const hookThatRedirectsTo = (updatedInput: unknown) =>
    hook('PreToolUse', () => ({ permissionDecision: 'allow', updatedInput }))

  test('uses the input from the hook and nothing else', async () => {
    const { isError, text } = await answer(each, hookThatRedirectsTo(inputIn(each, 'other')))

    expect([isError, await isChanged(each, 'src')]).toEqual([false, false])
    if (each.does === 'writes') expect(await isChanged(each, 'other')).toBe(true)
    else expect(text).toContain(each.tool === 'Read' || each.on === 'file' ? BEFORE : `other/${TARGET_NAMES.file}`)
  })

  test('is decided by the rules for the changed input, which the hook cannot override with allow', async () => {
    const family = each.does === 'reads' ? 'Read' : 'Edit'
    const rule = [`${family}(other/**)`]
    const denied = await answer(each, { ...hookThatRedirectsTo(inputIn(each, 'other')), permissions: { deny: rule } })
    const asked = await answer(each, { ...hookThatRedirectsTo(inputIn(each, 'other')), permissions: { ask: rule } })

    expect([denied.isError, denied.asked, asked.isError]).toEqual([true, [], true])
    expect(asked.asked).toHaveLength(1)
    expect(await isChanged(each, 'other')).toBe(false)
    for (const { text } of [denied, asked]) expect(text).not.toContain(BEFORE)
  })

  test('is validated again by the schema and by the tool', async () => {
    const [field = ''] = Object.keys(inputIn(each, 'src'))
    for (const wrong of [{ [field]: 7 }, {}, { ...inputIn(each, 'src'), more: 1 }]) {
      const { isError, text, asked } = await answer(each, hookThatRedirectsTo(wrong))
      expect([isError, asked]).toEqual([true, []])
      expect(text).not.toContain(BEFORE)
    }
    const path = `${targetIn('src', each.on)}\0`
    expect((await answer(each, hookThatRedirectsTo(each.input(path, BEFORE, AFTER)))).isError).toBe(true)
    expect(await isChanged(each, 'src')).toBe(false)
  })
})

test.each([
  ['Read', { file_path: 'src/plain.txt', pages: 'all' }],
  ['Glob', { pattern: 'src/\0' }],
  ['Grep', { pattern: '\0', path: 'src' }],
  ['Edit', { file_path: 'src/plain.txt', old_string: BEFORE, new_string: BEFORE }],
  ['MultiEdit', { file_path: 'src/plain.txt', edits: [{ old_string: BEFORE, new_string: BEFORE }] }],
  ['ApplyPatch', { patch: 'nonsense' }],
  ['NotebookEdit', { notebook_path: 'src/book.ipynb', new_source: AFTER }],
])('%s reports what is wrong with an input from a hook', async (tool, updatedInput) => {
  const each = FILE_CALLS.find((known) => known.tool === tool) as FileCall
  const { text } = await answer(
    each,
    hook('PreToolUse', () => ({ updatedInput })),
  )

  expect(text).toMatch(/^A hook changed the input to one that \w+ does not accept\. \S/)
})

test.each(WRITERS)(
  '$tool asks about a protected file even if a hook redirected it there and allows it',
  async (each) => {
    const updatedInput = inputIn(each, '.git/hooks')
    const { isError, asked } = await answer(
      each,
      hook('PreToolUse', () => ({ permissionDecision: 'allow', updatedInput })),
    )

    expect([isError, asked.length, await isChanged(each, '.git/hooks')]).toEqual([true, 1, false])
  },
)

describe.each(FILE_CALLS)('the output of $tool of a $on', (each) => {
  const REVEALED = new RegExp(`${BEFORE}|${AFTER}|plain\\.txt|book\\.ipynb`, 'g')

  test('can be replaced by a hook', async () => {
    const mask = (value: unknown) => JSON.parse(JSON.stringify(value).replace(REVEALED, 'masked'))
    const { isError, text } = await answer(
      each,
      hook('PostToolUse', ({ tool_response }) => ({ updatedToolOutput: mask(tool_response) })),
    )

    expect([isError, text.match(REVEALED)]).toEqual([false, null])
    expect(text).toContain('masked')
  })

  test('is withheld if the replacement from a hook is invalid', async () => {
    const { isError, text } = await answer(
      each,
      hook('PostToolUse', () => ({ updatedToolOutput: { wrong: true } })),
    )

    expect(isError).toBe(true)
    expect(text).toMatch(/does not match its schema, so the output is withheld/)
    expect(text).not.toContain(BEFORE)
  })
})

describe('a checkpoint', () => {
  /** The events of the call in order, with the content of the file when it is saved and when it is inspected again. */
  function loggedOptions(each: FileCall, folder = 'src') {
    const log: string[] = []
    const logState = async (what: string) =>
      void log.push(`${what}, ${(await isChanged(each, folder)) ? 'changed' : 'unchanged'}`)
    const checkpoints: CheckpointsPort = {
      save: (_, writes) => logState(`kept ${writes.join(' ')}`),
      settle: () => logState('settled'),
    }
    const onEvent: ToolRuntimeOptions['onEvent'] = (event) => {
      if (event.type === 'permission-decided' && event.toolUseId === 'call') log.push(event.behavior)
    }
    return { log, options: { ports: { checkpoints }, onEvent } }
  }

  test.each(WRITERS)('of $tool is taken after the permission and before the change', async (each) => {
    const { log, options } = loggedOptions(each)
    await answer(each, options)

    const file = join(cwd, targetIn('src', each.on))
    expect(log).toEqual(['allow', `kept ${file}, unchanged`, 'settled, changed'])
  })

  test.each(WRITERS)('of $tool saves the file that a hook redirected it to', async (each) => {
    const { log, options } = loggedOptions(each, 'other')
    const updatedInput = inputIn(each, 'other')
    await answer(each, { ...options, ...hook('PreToolUse', () => ({ updatedInput })) })

    const file = join(cwd, targetIn('other', each.on))
    expect(log).toEqual(['allow', `kept ${file}, unchanged`, 'settled, changed'])
  })

  test.each(FILE_CALLS)('of $tool of a $on is not taken if the call is denied, invalid or read-only', async (each) => {
    const { log, options } = loggedOptions(each)
    const deny = [`${each.does === 'reads' ? 'Read' : 'Edit'}(src/**)`]
    await answer(each, { ...options, permissions: { deny } })
    await answer(each, { ...options, permissions: { ask: [each.tool] } })
    await answer(each, { ...options, ...hook('PreToolUse', () => ({ permissionDecision: 'deny' })) })
    await answer(each, options, {})
    if (each.does === 'reads') await answer(each, options)

    expect(log.filter((what) => what !== 'deny' && what !== 'allow')).toEqual([])
    expect(await isChanged(each, 'src')).toBe(false)
  })

  test.each(WRITERS)('of $tool that cannot be taken prevents the change', async (each) => {
    const checkpoints = { save: () => Promise.reject(new Error('disk full')), settle: async () => {} }
    const { isError, text } = await answer(each, { ports: { checkpoints } })

    expect([isError, await isChanged(each, 'src')]).toEqual([true, false])
    expect(text).toContain('disk full')
  })
})
