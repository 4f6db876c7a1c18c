import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import {
  BASH_MAX_RESULT_SIZE_CHARS,
  GLOB_MAX_RESULT_SIZE_CHARS,
  READ_MAX_RESULT_SIZE_CHARS,
} from '../../contract/limits.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tools } from '../../contract/tool/tool.js'
import { killProcessGroup } from '../../system/processes/end-processes.js'
import { ExitPlanModeTool } from '../../tools/exit-plan-mode/tool.js'

const pathSchema = () => z.string().min(1).describe('Path of the file, absolute or relative to the working directory')

const ReadTool = buildTool({
  name: 'Read',
  searchHint: 'read files',
  description: 'Reads a file',
  maxResultSizeChars: READ_MAX_RESULT_SIZE_CHARS,
  inputSchema: lazySchema(() => z.strictObject({ file_path: pathSchema() })),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [{ path: file_path }] }),
  async call({ file_path }, { cwd, signal }) {
    return { data: await readFile(resolve(cwd, file_path), { encoding: 'utf8', signal }) }
  },
})

const WriteTool = buildTool({
  name: 'Write',
  searchHint: 'write files',
  description: 'Writes a file',
  inputSchema: lazySchema(() =>
    z.strictObject({ file_path: pathSchema(), content: z.string().describe('The new content') }),
  ),
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ writes: [{ path: file_path }] }),
  async call({ file_path, content }, { cwd }) {
    const target = resolve(cwd, file_path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
    return { data: `Wrote ${content.length} characters to ${file_path}.` }
  },
})

const EditTool = buildTool({
  name: 'Edit',
  searchHint: 'change text in a file',
  description: 'Replaces a text in a file',
  inputSchema: lazySchema(() =>
    z.strictObject({
      file_path: pathSchema(),
      old_string: z.string().min(1).describe('The text to replace; it must occur exactly once in the file'),
      new_string: z.string().describe('The replacement text'),
    }),
  ),
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [{ path: file_path }], writes: [{ path: file_path }] }),
  async call({ file_path, old_string, new_string }, { cwd }) {
    const target = resolve(cwd, file_path)
    const parts = (await readFile(target, 'utf8')).split(old_string)
    if (parts.length !== 2)
      throw new ToolCallError(
        'tool_failed',
        `old_string occurs ${parts.length - 1} times in ${file_path}. It must occur exactly once.`,
      )
    await writeFile(target, parts.join(new_string))
    return { data: `Changed ${file_path}.` }
  },
})

const GlobTool = buildTool({
  name: 'Glob',
  searchHint: 'find files by name pattern or wildcard',
  description: 'Finds files',
  maxResultSizeChars: GLOB_MAX_RESULT_SIZE_CHARS,
  inputSchema: lazySchema(() =>
    z.strictObject({
      pattern: z.string().min(1).describe('Glob pattern, for example src/**/*.ts'),
      path: z.string().optional().describe('Folder to search; defaults to the working directory'),
    }),
  ),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  getPath: (input) => input.path ?? '.',
  resources: (input) => ({ reads: [{ path: `${input.path ?? '.'}/` }] }),
  async call({ pattern, path: folder = '.' }, { cwd }) {
    const root = resolve(cwd, folder)
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const names = files.map((entry) => relative(root, resolve(entry.parentPath, entry.name)))
    return {
      data: names
        .filter((name) => globToRegExp(pattern).test(name))
        .sort()
        .join('\n'),
    }
  },
})

const BashTool = buildTool({
  name: 'Bash',
  searchHint: 'execute shell commands',
  description: 'Runs a command',
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
  inputSchema: lazySchema(() => z.strictObject({ command: z.string().describe('The command') })),
  command: ({ command }) => ({ text: command, language: 'bash' }),
  isReadOnly: ({ command }) => /^(cat|echo|ls|pwd)( [\w./-]+)*$/.test(command),
  isConcurrencySafe: () => false,
  interruptBehavior: () => 'cancel',
  async call({ command }, { cwd, signal }) {
    const { code, output } = await runCommand(command, cwd, signal)
    if (code !== 0) throw new ToolCallError('tool_failed', `${output}The command ended with ${code}.`)
    return { data: output }
  },
})

/**
 * The tool list that a test build uses instead of the real one: small tools that work on the real file system and run
 * real commands, for tests of the code around tools. All except Bash declare their resources as the real
 * tools do. They need no ports, because they access the system directly.
 */
export const builtInTools: Tools = [BashTool, EditTool, ExitPlanModeTool, GlobTool, ReadTool, WriteTool]

/** Runs a command in its own process group, so that it can be killed with all its children. */
function runCommand(command: string, cwd: string, signal: AbortSignal): Promise<{ code: number; output: string }> {
  return new Promise((done, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        output += text
      })
    }
    const kill = () => {
      killProcessGroup(child.pid)
    }
    if (signal.aborted) kill()
    signal.addEventListener('abort', kill, { once: true })
    child.on('error', reject)
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill)
      done({ code: code ?? 1, output })
    })
  })
}

function globToRegExp(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/|\*\*|\*|\?)/).map((part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    return part === '?' ? '[^/]' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}
