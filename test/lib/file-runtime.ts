import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PermissionQuestion } from '../../src/calls/call-environment.js'
import { createToolRuntime } from '../../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../../src/runtime/options.js'
import { ApplyPatchTool } from '../../src/tools/apply-patch/tool.js'
import { EditTool } from '../../src/tools/edit/tool.js'
import { GlobTool } from '../../src/tools/glob/tool.js'
import { GrepTool } from '../../src/tools/grep/tool.js'
import { MultiEditTool } from '../../src/tools/multi-edit/tool.js'
import { NotebookEditTool } from '../../src/tools/notebook-edit/tool.js'
import { ReadTool } from '../../src/tools/read/tool.js'
import { WriteTool } from '../../src/tools/write/tool.js'
import { call, textOf } from '../runtime-fixtures.js'

interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** A runtime with the real file tools, in a real folder that is removed after the test. */
export interface FileRuntime {
  readonly runtime: HaftRuntime
  /** The project, which is the working directory of the runtime. */
  readonly cwd: string
  /** The parent of the project, which is not a working directory. */
  readonly outsideFolder: string
  /** The questions that the user was asked. The answer is always yes, after `runWhileAsked` has run. */
  readonly questions: readonly PermissionQuestion[]
  runWhileAsked: () => unknown
  toPath(name: string): string
  put(name: string, content: string | Uint8Array): Promise<void>
  readText(name: string): Promise<string>
  /** Makes one call in its own message. */
  use(tool: string, input: unknown): Promise<Answer>
}

export async function createFileRuntime(options: Partial<ToolRuntimeOptions> = {}): Promise<FileRuntime> {
  const outsideFolder = await realpath(await mkdtemp(join(tmpdir(), 'haft-file-tools-')))
  const cwd = join(outsideFolder, 'project')
  await mkdir(cwd)
  const questions: PermissionQuestion[] = []
  const toPath = (name: string) => join(cwd, name)
  const runtime = createToolRuntime({
    tools: [ApplyPatchTool, EditTool, GlobTool, GrepTool, MultiEditTool, NotebookEditTool, ReadTool, WriteTool],
    cwd,
    permissions: { mode: 'acceptEdits' },
    async ask(question) {
      questions.push(question)
      await files.runWhileAsked()
      return { behavior: 'allow' }
    },
    ...options,
    machine: { homeDir: join(outsideFolder, 'home'), ...options.machine },
  })
  await runtime.load(['NotebookEdit'])
  onTestFinished(async () => {
    await runtime.dispose()
    await rm(outsideFolder, { recursive: true, force: true })
  })
  let nextId = 0
  const files: FileRuntime = {
    runtime,
    cwd,
    outsideFolder,
    questions,
    runWhileAsked: () => {},
    toPath,
    async put(name, content) {
      await mkdir(dirname(toPath(name)), { recursive: true })
      await writeFile(toPath(name), content)
    },
    readText: (name) => readFile(toPath(name), 'utf8'),
    async use(tool, input) {
      const [result] = await runtime.run([call(tool, input, `toolu_${nextId++}`)]).results
      return { text: textOf(result), isError: result?.is_error === true }
    },
  }
  return files
}
