import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../../runtime/options.js'
import { LspTool } from './tool.js'

const toModulePath = (name: string) => fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url))
const SERVERS = {
  typescript: { command: process.execPath, args: [toModulePath('typescript/bin/tsc'), '--lsp', '--stdio'] },
}

const SHAPES = `/** A thing with an area. */
export interface Shape {
  area(): number
}
export class Square implements Shape {
  constructor(readonly side: number) {}
  area(): number {
    return this.side ** 2
  }
}
`
const MAIN = `import { type Shape, Square } from './shapes.js'

export function total(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0)
}
export const answer: number = total([new Square(2)])
`

async function createProject() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-lsp-tool-')))
  const put = async (name: string, text: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await put('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [], "module": "nodenext" } }')
  await put('src/shapes.ts', SHAPES)
  await put('src/main.ts', MAIN)
  return { folder, put, read: (name: string) => readFile(join(folder, name), 'utf8') }
}

type Project = Awaited<ReturnType<typeof createProject>>

function openRuntime({ folder }: Project, options: Partial<ToolRuntimeOptions> = {}) {
  const questions: PermissionQuestion[] = []
  const runtime = createToolRuntime({
    tools: [LspTool],
    cwd: folder,
    async ask(question) {
      questions.push(question)
      return { behavior: 'allow' }
    },
    ...options,
    machine: { languageServers: SERVERS, ...options.machine },
  })
  let count = 0
  const call = async (name: string, input: object) => {
    const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${++count}`, name, input }]).results
    return { text: String(result?.content), isError: result?.is_error === true }
  }
  const ask = async (operation: string, filePath: string, input: object = {}) =>
    (await call('LSP', { operation, filePath, ...input })).text
  return { runtime, questions, call, ask }
}

describe('with TypeScript 7', { timeout: 60_000 }, () => {
  let project: Project
  let tools: ReturnType<typeof openRuntime>
  beforeAll(async () => {
    project = await createProject()
    tools = openRuntime(project)
  })
  afterAll(async () => {
    await tools.runtime.dispose()
    await rm(project.folder, { recursive: true, force: true })
  })

  test('every operation that reads answers without a question, with source lines and positions from 1', async () => {
    const { ask, questions } = tools

    expect(await ask('goToDefinition', 'src/main.ts', { line: 3, character: 40 })).toBe(
      '1 definition (line:character, from 1):\nsrc/shapes.ts\n  2:18 export interface Shape {',
    )
    expect(await ask('findReferences', 'src/main.ts', { line: 3, character: 17 })).toBe(
      [
        '2 references (line:character, from 1):',
        'src/main.ts',
        '  3:17 export function total(shapes: readonly Shape[]): number {',
        '  6:31 export const answer: number = total([new Square(2)])',
      ].join('\n'),
    )
    expect(await ask('hover', 'src/shapes.ts', { line: 2, character: 18 })).toContain('A thing with an area.')
    expect(await ask('documentSymbol', 'src/shapes.ts')).toBe(
      [
        '6 symbols (line:character, from 1):',
        'src/shapes.ts',
        '  2:18 interface Shape',
        '    3:3 method area',
        '  5:14 class Square',
        '    6:3 constructor constructor',
        '    6:24 property side',
        '    7:3 method area',
      ].join('\n'),
    )
    expect(await ask('workspaceSymbol', 'src/main.ts', { query: 'Square' })).toContain('5:')
    expect(await ask('goToImplementation', 'src/shapes.ts', { line: 3, character: 3 })).toContain(
      '7:3 area(): number {',
    )
    expect(await ask('incomingCalls', 'src/main.ts', { line: 3, character: 17 })).toContain(
      '6:31 in module main.ts | export const answer',
    )
    expect(await ask('outgoingCalls', 'src/main.ts', { line: 3, character: 17 })).toContain(
      '3:3 method area, called on line 4 | area(): number',
    )
    expect(await ask('diagnostics', 'src/main.ts')).toBe('No problem found (src/main.ts).')
    expect(questions).toEqual([])
  })

  test('a position without a symbol is answered with the line and the names in it', async () => {
    const { call } = tools
    const { text, isError } = await call('LSP', {
      ...{ operation: 'goToDefinition', filePath: 'src/main.ts', line: 4, character: 1 },
    })

    expect(isError).toBe(true)
    expect(text).toContain('There is no symbol at src/main.ts:4:1 (line and character count from 1).')
    expect(text).toContain('Line 4 is: return shapes.reduce(')
    expect(text).toContain('shapes at character 10')
    expect((await call('LSP', { operation: 'hover', filePath: 'src/main.ts', line: 99, character: 1 })).text).toContain(
      'The file has 7 lines, so there is no line 99.',
    )
  })

  test('missing parameters and missing servers are explained', async () => {
    const { ask } = tools
    await project.put('notes.md', 'text')

    expect(await ask('hover', 'src/main.ts')).toContain('hover needs line and character of the symbol')
    expect(await ask('workspaceSymbol', 'src/main.ts')).toContain('workspaceSymbol needs query')
    expect(await ask('rename', 'src/main.ts', { line: 3, character: 17 })).toContain('rename needs newName')
    expect(await ask('documentSymbol', 'notes.md')).toContain('There is no language server for .md files')
    expect(await ask('documentSymbol', 'main.kt')).toContain('Install one: kotlin-lsp')
  })
})

test('a rename asks once about all files, shows the changes, and can be undone', { timeout: 60_000 }, async () => {
  const project = await createProject()
  const checkpointsDirectory = join(project.folder, '.checkpoints')
  const { runtime, questions, call } = openRuntime(project, { storage: { checkpointsDirectory } })
  onTestFinished(async () => {
    await runtime.dispose()
    await rm(project.folder, { recursive: true, force: true })
  })

  const input = { operation: 'rename', filePath: 'src/shapes.ts', line: 5, character: 14, newName: 'Box' }
  const { text, isError } = await call('LSP', input)

  expect(text).toContain('Renamed to Box: 3 places in 2 files.')
  expect(isError).toBe(false)
  expect(await project.read('src/main.ts')).toBe(MAIN.replaceAll('Square', 'Box'))
  expect(await project.read('src/shapes.ts')).toBe(SHAPES.replaceAll('Square', 'Box'))
  expect(questions.map((question) => question.input)).toEqual([
    { ...input, changedFiles: ['src/main.ts', 'src/shapes.ts'] },
  ])
  expect(questions[0]?.preview).toContain('+export class Box implements Shape {')
  expect(existsSync(checkpointsDirectory)).toBe(true)
})

test.each([
  ['a file is denied for editing', { deny: ['Edit(src/main.ts)'] }, /denies this call/],
  ['a file is denied for reading', { deny: ['Read(src/main.ts)'] }, /a file that permission rules hide/],
  ['plan mode is on', { mode: 'plan' as const }, /plan mode/],
])('a rename changes nothing if %s', { timeout: 60_000 }, async (_, permissions, message) => {
  const project = await createProject()
  const { runtime, questions, ask } = openRuntime(project, { permissions })
  onTestFinished(async () => {
    await runtime.dispose()
    await rm(project.folder, { recursive: true, force: true })
  })

  const text = await ask('rename', 'src/shapes.ts', { line: 5, character: 14, newName: 'Box' })

  expect(text).toMatch(message)
  expect([await project.read('src/main.ts'), await project.read('src/shapes.ts')]).toEqual([MAIN, SHAPES])
  expect(questions).toEqual([])
})

test('a rename is judged like an edit: acceptEdits allows it inside the working folders, and it changes no file outside', {
  timeout: 60_000,
}, async () => {
  const project = await createProject()
  const inner = { ...project, folder: join(project.folder, 'src') }
  const { runtime, questions, ask } = openRuntime(project, { permissions: { mode: 'acceptEdits' } })
  const innerTools = openRuntime(inner, { machine: { projectDir: inner.folder } })
  onTestFinished(async () => {
    await Promise.all([runtime.dispose(), innerTools.runtime.dispose()])
    await rm(project.folder, { recursive: true, force: true })
  })
  await project.put('outside.ts', "import { Square } from './src/shapes.js'\nexport const one = new Square(1)\n")
  await project.put('.git/HEAD', '')

  expect(await innerTools.ask('rename', 'shapes.ts', { line: 5, character: 14, newName: 'Box' })).toContain(
    `It would change ${join(project.folder, 'outside.ts')}, which is outside the working folders.`,
  )
  expect(await project.read('src/shapes.ts')).toBe(SHAPES)
  const given = { line: 5, character: 14, newName: 'Box', changedFiles: ['src/shapes.ts'] }
  expect(await ask('rename', 'src/shapes.ts', given)).toContain(
    'changedFiles differs from the files that the rename changes',
  )

  expect(await ask('rename', 'src/shapes.ts', { line: 5, character: 14, newName: 'Box' })).toContain('in 3 files')
  expect([questions, innerTools.questions]).toEqual([[], []])
})

test('results in files that may not be read are left out and counted', { timeout: 60_000 }, async () => {
  const project = await createProject()
  await project.put(
    'src/secret.ts',
    "import { Square } from './shapes.js'\n/** The password is 1234. */\nexport const key = new Square(1)\n",
  )
  await project.put('src/use.ts', "import { key } from './secret.js'\nexport const used = key\n")
  const { runtime, ask } = openRuntime(project, { permissions: { deny: ['Read(src/secret.ts)'] } })
  onTestFinished(async () => {
    await runtime.dispose()
    await rm(project.folder, { recursive: true, force: true })
  })

  const references = await ask('findReferences', 'src/shapes.ts', { line: 5, character: 14 })
  expect(references).toContain('2 more results in files that permission rules hide.')
  expect(references).not.toContain('secret')
  expect(await ask('goToDefinition', 'src/use.ts', { line: 2, character: 21 })).toContain('No definition found')
  expect(await ask('hover', 'src/use.ts', { line: 2, character: 21 })).not.toContain('1234')
  expect(await ask('documentSymbol', 'src/secret.ts')).toContain('denies this call')
})

test('the flag ENABLE_LSP_TOOL switches the tool off', async () => {
  const { createAssembly } = await import('../../assembly/create-assembly.js')
  const { readEnvironment } = await import('../../assembly/read-environment.js')
  const { builtInTools } = await import('../index.js')
  const { createPermissionContext } = await import('../../contract/permission/context.js')
  const namesWith = (variables: Record<string, string>) =>
    createAssembly({ baseTools: builtInTools, env: readEnvironment(variables, 'linux').environment })
      .assembleToolPool(createPermissionContext(), [])
      .map(({ name }) => name)

  expect(namesWith({})).toContain('LSP')
  expect(namesWith({ ENABLE_LSP_TOOL: '0' })).not.toContain('LSP')
})
