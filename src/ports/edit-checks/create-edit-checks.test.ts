import { writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { callTool } from '../../testing/call-tool.js'
import { createTemporaryFiles } from '../../testing/files/temporary-files.js'
import { EditTool } from '../../tools/edit/tool.js'
import { createLsp } from '../lsp/create-lsp.js'
import { TYPESCRIPT_SERVER } from '../lsp/fixture-lsp.js'
import { listServers } from '../lsp/server-config.js'
import { createServicePort } from '../shell/create-service-port.js'
import { createEditChecks } from './create-edit-checks.js'
import type { Formatter } from './formatter.js'

const SEMICOLON_SCRIPT = `
const fs = require('node:fs')
const path = process.argv.at(-1)
fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(/;?\\n/g, ';\\n'))
`
const semicolonFormatter: Formatter = {
  name: 'semicolons',
  command: process.execPath,
  args: ['-e', SEMICOLON_SCRIPT],
  extensions: ['.ts'],
}

const createProblem = (path: string, message: string): LspDiagnostic => ({
  path,
  line: 1,
  character: 1,
  severity: 'error',
  message,
})

/** Creates a fake server that reports each word of a file as a problem. */
const createWordServer = (read: (path: string) => Promise<string>) => ({
  servesEdits: () => true,
  diagnostics: async (path: string) =>
    (await read(path))
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => createProblem(path, word)),
})

test('only problems that an edit caused are reported', async () => {
  const t = await createTemporaryFiles()
  const path = t.toPath('a.ts')
  await t.put('a.ts', 'old')
  const aroundEdit = createEditChecks({ folder: t.cwd, lsp: createWordServer(() => t.readText('a.ts')) })

  const outcome = await aroundEdit([path], () => writeFile(path, 'new old').then(() => 'done'))

  expect(outcome).toEqual({
    result: 'done',
    report: { notes: [`New problems since this edit:\n${path}:1:1 error: new`], reformatted: [] },
  })
})

test('all problems of a created file are reported, and none of a missing file', async () => {
  const t = await createTemporaryFiles()
  const aroundEdit = createEditChecks({ folder: t.cwd, lsp: createWordServer(() => t.readText('a.ts')) })
  const { report } = (await aroundEdit([t.toPath('a.ts'), t.toPath('gone.ts')], () => t.put('a.ts', 'new'))) ?? {}
  expect(report?.notes).toEqual([expect.stringContaining('error: new')])
})

test('no problem is reported if the diagnostics before the edit are unknown', async () => {
  const t = await createTemporaryFiles()
  await t.put('a.ts', 'old')
  let requestCount = 0
  const lsp = {
    servesEdits: () => true,
    diagnostics: async (path: string) => {
      if (requestCount++ === 0) throw new Error('too slow')
      return [createProblem(path, 'x')]
    },
  }
  const aroundEdit = createEditChecks({ folder: t.cwd, lsp })
  expect(await aroundEdit([t.toPath('a.ts')], async () => 1)).toEqual({
    result: 1,
    report: { notes: [], reformatted: [] },
  })
})

test('a failed edit rejects with its own error, and no formatter runs', async () => {
  const t = await createTemporaryFiles()
  await t.put('a.ts', 'a\n')
  const aroundEdit = createEditChecks({ folder: t.cwd, formatters: [semicolonFormatter] })
  await expect(aroundEdit([t.toPath('a.ts')], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await t.readText('a.ts')).toBe('a\n')
})

test('an edit is formatted, and the model reads the formatted lines', async () => {
  const t = await createTemporaryFiles()
  const aroundEdit = createEditChecks({ folder: t.cwd, formatters: [semicolonFormatter] })
  await t.putAndRead('a.ts', 'a;\n')

  const text = await callTool(
    EditTool,
    { file_path: 'a.ts', old_string: 'a;', new_string: 'b\nc' },
    { ...t, files: { ...t.files, aroundEdit } },
  )

  expect(await t.readText('a.ts')).toBe('b;\nc;\n')
  expect(text).toContain('1\tb;\n2\tc;')
})

test('a formatter that fails, hangs, is missing or is for other files leaves an edit unchanged', async () => {
  const t = await createTemporaryFiles()
  await t.put('a.ts', 'a\n')
  const variants: readonly Partial<Formatter>[] = [
    { args: ['-e', 'process.exit(1)'] },
    { args: ['-e', 'setInterval(() => {}, 1000)'] },
    { command: '/no/such/program' },
    { extensions: ['.md'] },
  ]
  for (const variant of variants) {
    const limits = { formatMs: 200, diagnosticsMs: 200 }
    const aroundEdit = createEditChecks({ folder: t.cwd, formatters: [{ ...semicolonFormatter, ...variant }], limits })
    const outcome = await aroundEdit([t.toPath('a.ts')], async () => 1)
    expect(outcome).toEqual({ result: 1, report: { notes: [], reformatted: [] } })
  }
})

test('a real server reports only the problem that an edit caused', { timeout: 60_000 }, async () => {
  const t = await createTemporaryFiles()
  const lsp = createLsp({
    ...{ projectFolder: t.cwd, environment: process.env, isTrusted: true, workingFolders: () => [t.cwd] },
    servers: listServers(TYPESCRIPT_SERVER, () => undefined),
    services: createServicePort(process.env),
  })
  onTestFinished(() => lsp.close())
  await t.put('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] } }')
  await t.putAndRead('a.ts', 'export const broken: string = 1\nexport const fine: number = 2\n')
  const aroundEdit = createEditChecks({ folder: t.cwd, lsp, limits: { formatMs: 1, diagnosticsMs: 30_000 } })
  const context = { ...t, files: { ...t.files, aroundEdit } }

  const breakingEdit = { file_path: 'a.ts', old_string: 'fine: number = 2', new_string: 'fine: number = true' }
  const text = await callTool(EditTool, breakingEdit, context)

  expect(text).toContain(`New problems since this edit:
${t.toPath('a.ts')}:2:14 error: Type 'boolean' is not assignable to type 'number'. (ts)`)
  expect(text).not.toContain('a.ts:1:')
  const fixingEdit = { file_path: 'a.ts', old_string: 'true', new_string: '3' }
  expect(await callTool(EditTool, fixingEdit, context)).not.toContain('problems')
})
