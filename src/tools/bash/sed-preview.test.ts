import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { ToolContext } from '../../contract/tool/tool.js'
import { Spill } from '../../results/spill.js'
import { analyseCommand } from '../../shell/analyse-command.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { parseSedEdit, previewSedEdit, writeSedEdit } from './sed-edit.js'

const test = testWithProgram('sed')
let shell: TestShell
let folder: string
let file: string

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  folder = shell.folder
  file = join(folder, 'file')
})
afterEach(async () => {
  await shell.close()
  expect(shell.findRunningPids()).toEqual([])
})

function createContext(): ToolContext<'shell'> {
  const { signal } = new AbortController()
  return { cwd: folder, toolUseId: 'toolu_1', shell: shell.port, signal } as unknown as ToolContext<'shell'>
}

function preview(text: string, call: ToolContext<'shell'>) {
  return previewSedEdit(Object.assign(call, { command: analyseCommand(text, { cwd: folder }) }))
}

describe('a sed edit', () => {
  test('is previewed and then written exactly as previewed, without leftover files', async () => {
    writeFileSync(file, 'one\ntwo\n')
    chmodSync(file, 0o640)
    const call = createContext()

    const previewText = await preview(`sed -i 's/one/1/' file`, call)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    const editResult = await writeSedEdit(`sed -i 's/one/1/' file`, call)

    expect(previewText).toContain('-one\n+1\n two')
    expect(editResult?.data).toMatchObject({ isFailure: false, notes: ['file was changed as previewed.'] })
    expect(readFileSync(file, 'utf8')).toBe('1\ntwo\n')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  for (const changedText of ['one more\n', '1\n'])
    test(`is refused if the file has changed to ${JSON.stringify(changedText)} since the preview`, async () => {
      writeFileSync(file, 'one\n')
      const call = createContext()
      await preview(`sed -i 's/one/1/' file`, call)
      writeFileSync(file, changedText)

      const refusedResult = await writeSedEdit(`sed -i 's/one/1/' file`, call)

      expect(refusedResult?.data.isFailure).toBe(true)
      expect(refusedResult?.data.notes[0]).toContain('changed after the preview')
      expect(readFileSync(file, 'utf8')).toBe(changedText)
      expect(readdirSync(folder)).toEqual(['file'])
    })

  test('that was not previewed in this form is not written', async () => {
    writeFileSync(file, 'one\n')
    const toolContext = createContext()
    await preview(`sed -i 's/one/1/' file`, toolContext)

    expect(await writeSedEdit(`sed -i 's/one/2/' file`, toolContext)).toBeUndefined()
    expect(await writeSedEdit(`sed -i 's/one/1/' file`, createContext())).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toBe('one\n')
  })

  test('that fails, or whose path is not a plain file, is not previewed', async () => {
    writeFileSync(file, 'one\n')
    execFileSync('mkfifo', [join(folder, 'pipe')])

    expect(await preview(`sed -i 's/\\(/x/' file`, createContext())).toBeUndefined()
    expect(await preview(`sed -i 's/a/x/' missing`, createContext())).toBeUndefined()
    expect(await preview(`sed -i 's/a/x/' pipe`, createContext())).toBeUndefined()
    expect(await preview(`sed -i 's/a/x/' .`, createContext())).toBeUndefined()
  })

  test('that matches nothing says that the file is unchanged', async () => {
    writeFileSync(file, 'one\n')
    const call = createContext()

    expect(await preview(`sed -i 's/x/y/' file`, call)).toBe('No change in file.')
    expect((await writeSedEdit(`sed -i 's/x/y/' file`, call))?.data.notes).toEqual([
      'Nothing in file matched. The file is unchanged.',
    ])
  })

  test('replaces a link like sed, and keeps its target', async () => {
    writeFileSync(file, 'one\n')
    symlinkSync('file', join(folder, 'link'))
    const call = createContext()
    await preview(`sed -i 's/one/1/' link`, call)
    await writeSedEdit(`sed -i 's/one/1/' link`, call)

    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(false)
    expect(readFileSync(join(folder, 'link'), 'utf8')).toBe('1\n')
    expect(readFileSync(file, 'utf8')).toBe('one\n')
  })
})

test('every previewed edit yields the same bytes as sed', async () => {
  const part = fc.constantFrom(
    'a',
    'b',
    '.',
    '.*',
    '^',
    '$',
    '[ab]',
    '\\(a\\)',
    'x',
    ' ',
    '&',
    '\\n',
    "'",
    '(',
    '+',
    '/',
  )
  const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''))
  const address = fc.constantFrom('', '', '1', '$', '1,2', '/a/', '2,+1')
  const flags = fc.constantFrom('', 'g', '2', 'I', 'p', 'gI')
  const end = fc.constantFrom('/', '|', '#')
  const substitution = fc
    .tuple(address, end, text, text, flags)
    .map(([at, e, from, to, f]) => `${at}s${e}${from}${e}${to}${e}${f}`)
  const script = fc.oneof(
    substitution,
    fc.tuple(substitution, substitution).map((pair) => pair.join(';')),
    fc.constantFrom('1d', '/a/d'),
  )
  const options = fc.constantFrom('', '-E ', '-n ')
  const bytes = fc.array(fc.constantFrom('a', 'b', 'x', ' ', '\n', '\r\n', 'é', '\\', '(', "'", '\xff'), {
    maxLength: 20,
  })
  let previewCount = 0

  await fc.assert(
    fc.asyncProperty(script, options, bytes, async (sed, option, content) => {
      const command = `sed ${option}-i '${sed.replaceAll("'", `'"'"'`)}' file`
      const contentBefore = Buffer.from(content.join(''), 'latin1')
      const call = createContext()
      writeFileSync(file, contentBefore)
      const previewText = await preview(command, call)
      const result = previewText === undefined ? undefined : await writeSedEdit(command, call)
      const writtenContent = readFileSync(file)
      if (result === undefined) {
        expect(writtenContent).toEqual(contentBefore)
        return
      }
      previewCount += 1
      writeFileSync(file, contentBefore)
      execFileSync('bash', ['-c', command], { cwd: folder })
      expect(writtenContent).toEqual(readFileSync(file))
    }),
    createPropertyOptions(40),
  )
  expect(previewCount).toBeGreaterThan(0)
  expect(parseSedEdit(['sed', '-i', '1d', 'file'])).toBeDefined()
})
