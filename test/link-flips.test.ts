import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../src/contract/host/sandbox-settings.js'
import { createScriptServer } from '../src/ports/lsp/fixture-lsp.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

/**
 * Another process keeps replacing the target of a path while calls use that path. No call may reach a denied
 * file. The number of calls for each tool can be raised with HAFT_FLIP_CALLS.
 */
const CALL_COUNT = Number(process.env.HAFT_FLIP_CALLS ?? 200)
/** Commands start processes. */
const COMMAND_COUNT = Number(process.env.HAFT_FLIP_CALLS ?? 20)
const DENIED_CONTENT = 'the-denied-content'

let root: string
let project: string
let secrets: string
let runtime: ReturnType<typeof createToolRuntime>
let flippingProcess: ChildProcess | undefined

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'haft-flips-')))
  project = join(root, 'project')
  secrets = join(root, 'secrets')
  for (const folder of [join(project, 'open'), join(project, 'tree/inner'), secrets, join(root, 'home')])
    await mkdir(folder, { recursive: true })
  for (const folder of [join(project, 'open'), join(project, 'tree/inner'), join(project, 'tree')])
    await writeFile(join(folder, 'file.txt'), 'word allowed\n')
  await writeFile(join(secrets, 'file.txt'), `word ${DENIED_CONTENT}\n`)
  await writeFile(join(secrets, `${DENIED_CONTENT}.txt`), `word ${DENIED_CONTENT}\n`)
  await writeFile(join(project, 'fixed.txt'), `word ${DENIED_CONTENT}\n`)
})

afterEach(async () => {
  await stopFlipping()
  await runtime.dispose()
  await rm(root, { recursive: true, force: true })
})

function open(
  rules: { readonly deny: readonly string[]; readonly allow?: readonly string[] },
  sandbox?: SandboxSettings,
): void {
  runtime = createToolRuntime({
    tools: builtInTools,
    permissions: { mode: 'acceptEdits', allow: [...(rules.allow ?? [])], deny: [...rules.deny] },
    cwd: project,
    machine: {
      homeDir: join(root, 'home'),
      languageServers: createScriptServer(LSP_SCRIPT),
      ...(sandbox && { sandbox }),
    },
  })
}

const LSP_SCRIPT = `
let text = ''
c.onRequest('initialize', () => ({ capabilities: { documentSymbolProvider: true, textDocumentSync: 1 } }))
c.onRequest('shutdown', () => null)
c.onNotification('textDocument/didOpen', ({ textDocument }) => { text = textDocument.text })
c.onNotification('textDocument/didChange', ({ contentChanges }) => { text = contentChanges.at(-1).text })
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
c.onRequest('textDocument/documentSymbol', () => [{ name: text, kind: 13, range, selectionRange: range }])
`

const LINK_LOOP = `
const fs = require('fs')
const [path, first, second] = process.argv.slice(1)
process.stdout.write('ready')
for (;;) for (const target of [first, second]) {
  fs.symlinkSync(target, path + '.next')
  fs.renameSync(path + '.next', path)
}`

/** The path itself is exchanged with a link of the same name, so that a folder listing may show either. */
const ENTRY_LOOP_SCRIPT = `
const fs = require('fs')
const [path, target] = process.argv.slice(1)
fs.symlinkSync(target, path + '.link')
process.stdout.write('ready')
for (;;) {
  fs.renameSync(path, path + '.kept')
  fs.renameSync(path + '.link', path)
  fs.renameSync(path, path + '.link')
  fs.renameSync(path + '.kept', path)
}`

async function stopFlipping(): Promise<void> {
  flippingProcess?.kill('SIGKILL')
  if (flippingProcess?.exitCode === null && flippingProcess.signalCode === null) await once(flippingProcess, 'exit')
  flippingProcess = undefined
}

async function flip(loop: string, ...args: readonly string[]): Promise<void> {
  flippingProcess = spawn(process.execPath, ['-e', loop, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(flippingProcess.stdout as NonNullable<typeof flippingProcess.stdout>, 'data')
}

/** Returns how many calls reached a denied file, and how many succeeded. */
async function countReached(
  name: string,
  createInput: (index: number) => unknown,
  { calls = CALL_COUNT, hasReached = (_text: string): boolean => false } = {},
) {
  let reachedCount = 0
  let succeededCount = 0
  for (let index = 0; index < calls; index++) {
    const [result] = await runtime.run([call(name, createInput(index), `${name}-${index}`)]).results
    if (textOf(result).includes(DENIED_CONTENT) || hasReached(textOf(result))) reachedCount++
    if (result?.is_error !== true) succeededCount++
  }
  if (process.env.HAFT_FLIP_CALLS !== undefined)
    console.log({ name, calls, reached: reachedCount, succeeded: succeededCount })
  await stopFlipping()
  restoreTarget()
  const [result] = await runtime.run([call(name, createInput(calls), `${name}-last`)]).results
  return { reached: reachedCount, worksAfterwards: result?.is_error !== true }
}

const UNREACHED_OUTCOME = { reached: 0, worksAfterwards: true }
/** Restores the allowed target, after the other process was ended at any point. */
let restoreTarget: () => void

function settleLink(link: string, target: string): void {
  rmSync(link, { force: true })
  symlinkSync(target, link)
}

describe('a link that flips between an allowed and a denied file never leads to the denied file', () => {
  beforeEach(async () => {
    open({ deny: [`Read(/${secrets}/**)`, `Edit(/${secrets}/**)`] })
    restoreTarget = () => settleLink(join(project, 'link'), 'open/file.txt')
    restoreTarget()
    await flip(LINK_LOOP, join(project, 'link'), 'open/file.txt', join(secrets, 'file.txt'))
  })

  test('with Read', async () => {
    expect(await countReached('Read', () => ({ file_path: 'link' }))).toEqual(UNREACHED_OUTCOME)
  })

  test('with Grep', async () => {
    const input = { pattern: 'word', path: 'link', output_mode: 'content' }
    expect(await countReached('Grep', () => input)).toEqual(UNREACHED_OUTCOME)
  })

  testWithProgram('bwrap')('with Bash', async () => {
    expect(await countReached('Bash', () => ({ command: 'cat link' }), { calls: COMMAND_COUNT })).toEqual(
      UNREACHED_OUTCOME,
    )
  })
})

describe('without a sandbox', () => {
  const rules = () => ({ deny: [`Read(/${secrets}/**)`] })

  test('a command that reads through a link in the project needs approval', async () => {
    open(rules(), { ...DEFAULT_SANDBOX_SETTINGS, enabled: false })
    restoreTarget = () => settleLink(join(project, 'link'), 'open/file.txt')
    restoreTarget()
    await flip(LINK_LOOP, join(project, 'link'), 'open/file.txt', join(secrets, 'file.txt'))

    const outcome = await countReached('Bash', () => ({ command: 'cat link' }), { calls: COMMAND_COUNT })
    expect(outcome).toEqual({ reached: 0, worksAfterwards: false })
  })

  test('a command never shows a denied file if the file that it reads is replaced by a link meanwhile', async () => {
    open(rules(), { ...DEFAULT_SANDBOX_SETTINGS, enabled: false })
    const file = join(project, 'open/file.txt')
    await flip(ENTRY_LOOP_SCRIPT, file, join(secrets, 'file.txt'))
    restoreTarget = () => {
      rmSync(file, { force: true })
      writeFileSync(file, 'word allowed\n')
    }

    const outcome = await countReached('Bash', () => ({ command: 'cat open/file.txt' }), { calls: COMMAND_COUNT })
    expect(outcome).toEqual(UNREACHED_OUTCOME)
  })
})

describe('a link that flips between two files outside the project never leads to one without an allow rule', () => {
  beforeEach(async () => {
    await mkdir(join(root, 'public'))
    await writeFile(join(root, 'public/file.txt'), 'word allowed\n')
    open({ allow: [`Read(/${root}/public/**)`, 'Read(/link)'], deny: [] })
    restoreTarget = () => settleLink(join(project, 'link'), '../public/file.txt')
    restoreTarget()
    await flip(LINK_LOOP, join(project, 'link'), '../public/file.txt', join(secrets, 'file.txt'))
  })

  testWithProgram('bwrap')('with Bash', async () => {
    expect(await countReached('Bash', () => ({ command: 'cat link' }), { calls: COMMAND_COUNT })).toEqual(
      UNREACHED_OUTCOME,
    )
  })
})

const NOTEBOOK = '{"cells":[{"cell_type":"code","id":"a","metadata":{},"outputs":[],"source":["word"]}],"nbformat":4}'
const EDITS: readonly (readonly [tool: string, createInput: (index: number) => object])[] = [
  ['Edit', () => ({ file_path: 'link', old_string: 'word', new_string: 'new word', replace_all: true })],
  [
    'MultiEdit',
    () => ({ file_path: 'link', edits: [{ old_string: 'word', new_string: 'a word', replace_all: true }] }),
  ],
  ['Write', (index) => ({ file_path: 'link', content: `word ${index}\n` })],
  ['NotebookEdit', (index) => ({ notebook_path: 'link.ipynb', cell_id: 'a', new_source: `word ${index}` })],
  [
    'ApplyPatch',
    () => ({ patch: '*** Begin Patch\n*** Update File: link\n-last line\n+next line\n+last line\n*** End Patch' }),
  ],
]

describe('a link that flips between two files of the project never lets the protected one be changed', () => {
  test.each(EDITS)('with %s', async (tool, createInput) => {
    open({ deny: ['Edit(/fixed.txt)', 'Edit(/fixed.ipynb)'] })
    const [suffix, content] = tool === 'NotebookEdit' ? ['.ipynb', NOTEBOOK] : ['.txt', 'word\nlast line\n']
    const [link, fixed] = [join(project, tool === 'NotebookEdit' ? 'link.ipynb' : 'link'), `fixed${suffix}`]
    for (const file_path of [`open/file${suffix}`, fixed]) {
      writeFileSync(join(project, file_path), content)
      await runtime.run([call('Read', { file_path }, `Read-${file_path}`)]).results
    }
    restoreTarget = () => settleLink(link, `open/file${suffix}`)
    restoreTarget()
    await flip(LINK_LOOP, link, `open/file${suffix}`, fixed)
    const hasReached = () => {
      if (readFileSync(join(project, fixed), 'utf8') === content) return false
      writeFileSync(join(project, fixed), content)
      return true
    }
    expect(await countReached(tool, createInput, { hasReached })).toEqual(UNREACHED_OUTCOME)
  })
})

describe('a link that flips between an allowed and a denied folder never leads into the denied folder', () => {
  beforeEach(async () => {
    open({ deny: [`Read(/${secrets}/**)`, `Edit(/${secrets}/**)`] })
    restoreTarget = () => settleLink(join(project, 'link'), 'open')
    restoreTarget()
    await flip(LINK_LOOP, join(project, 'link'), 'open', secrets)
  })

  test('with Write', async () => {
    const createInput = (index: number) => ({ file_path: `link/new-${index}.txt`, content: 'x' })
    let index = 0
    const hasReached = () => existsSync(join(secrets, `new-${index++}.txt`))
    expect(await countReached('Write', createInput, { hasReached })).toEqual(UNREACHED_OUTCOME)
    expect((await readdir(secrets)).sort()).toEqual(['file.txt', `${DENIED_CONTENT}.txt`])
  })

  test('with ApplyPatch', async () => {
    const createInput = (index: number) => ({
      patch: `*** Begin Patch\n*** Add File: link/new-${index}.txt\n+x\n*** End Patch`,
    })
    let index = 0
    const hasReached = () => existsSync(join(secrets, `new-${index++}.txt`))
    expect(await countReached('ApplyPatch', createInput, { hasReached })).toEqual(UNREACHED_OUTCOME)
  })

  test('with Grep', async () => {
    const input = { pattern: 'word', path: 'link', output_mode: 'content' }
    expect(await countReached('Grep', () => input)).toEqual(UNREACHED_OUTCOME)
  })

  test('with Glob', async () => {
    expect(await countReached('Glob', () => ({ pattern: '**/*', path: 'link' }))).toEqual(UNREACHED_OUTCOME)
  })

  test('with Read', async () => {
    expect(await countReached('Read', () => ({ file_path: 'link/file.txt' }))).toEqual(UNREACHED_OUTCOME)
  })

  test('with Read in the code of REPL', async () => {
    const code =
      'try { text(JSON.stringify(await tools.Read({ file_path: "link/file.txt" }))) } catch (error) { text(error.message) }'
    expect(await countReached('REPL', () => ({ code }))).toEqual(UNREACHED_OUTCOME)
  })

  test('with LSP, whose server returns the text of the document', async () => {
    await writeFile(join(project, 'open/file.x'), 'word allowed')
    await writeFile(join(secrets, 'file.x'), DENIED_CONTENT)
    expect(await countReached('LSP', () => ({ operation: 'documentSymbol', filePath: 'link/file.x' }))).toEqual(
      UNREACHED_OUTCOME,
    )
  })
})

describe('an entry of a searched folder that flips between itself and a link never leads to a denied file', () => {
  beforeEach(() => {
    restoreTarget = () => {}
  })

  test.each([
    ['a file', 'tree/file.txt', 'file.txt'],
    ['a folder', 'tree/inner', ''],
  ])('with Grep, if the entry is %s', async (_, entry, target) => {
    open({ deny: [`Read(/${secrets}/**)`] })
    await flip(ENTRY_LOOP_SCRIPT, join(project, entry), join(secrets, target))
    const input = { pattern: 'word', path: 'tree', output_mode: 'content' }
    expect(await countReached('Grep', () => input)).toEqual(UNREACHED_OUTCOME)
  })

  test('with Glob', async () => {
    open({ deny: [`Read(/${secrets}/**)`] })
    await flip(ENTRY_LOOP_SCRIPT, join(project, 'tree/inner'), secrets)
    expect(await countReached('Glob', () => ({ pattern: '**/*.txt', path: 'tree' }))).toEqual(UNREACHED_OUTCOME)
  })
})

test('a link that changes while a permission question is open is not followed to its new target', async () => {
  await mkdir(join(root, 'public'))
  await writeFile(join(root, 'public/file.txt'), 'word allowed\n')
  const link = join(project, 'link')
  await symlink('../public/file.txt', link)
  runtime = createToolRuntime({
    tools: builtInTools,
    cwd: project,
    machine: { homeDir: join(root, 'home') },
    ask: async () => {
      rmSync(link)
      await symlink(join(secrets, 'file.txt'), link)
      return { behavior: 'allow' }
    },
  })

  const [result] = await runtime.run([call('Read', { file_path: 'link' })]).results

  expect(textOf(result)).toContain(`${link} leads to a different file than before`)
  expect(result?.is_error).toBe(true)
})
