import type { Tool, Tools } from '../../contract/tool/tool.js'
import { ApplyPatchTool } from '../../tools/apply-patch/tool.js'
import { EditTool } from '../../tools/edit/tool.js'
import { GlobTool } from '../../tools/glob/tool.js'
import { GrepTool } from '../../tools/grep/tool.js'
import { MultiEditTool } from '../../tools/multi-edit/tool.js'
import { NotebookEditTool } from '../../tools/notebook-edit/tool.js'
import { ReadTool } from '../../tools/read/tool.js'
import { WriteTool } from '../../tools/write/tool.js'

/** The real file and search tools. */
export const FILE_TOOLS: Tools = [
  ...[ReadTool, GlobTool, GrepTool],
  ...[EditTool, WriteTool, MultiEditTool, ApplyPatchTool, NotebookEditTool],
]

export function findFileTool(name: string): Tool {
  const tool = FILE_TOOLS.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`Unknown file tool ${name}. Add it to FILE_TOOLS.`)
  return tool
}

/** One way to call one of these tools on one path. */
export interface FileCall {
  readonly tool: string
  readonly does: 'reads' | 'writes'
  /** The kind of path that the call expects. A notebook is also a file. */
  readonly on: 'file' | 'folder' | 'notebook'
  /** Returns the input of a call that finds `oldText` at the path and, if it writes, replaces it with `newText`. */
  input(path: string, oldText: string, newText: string): Record<string, unknown>
}

/** Every tool at least once; Grep searches a folder as well as a single file. */
export const FILE_CALLS: readonly FileCall[] = [
  { tool: 'Read', does: 'reads', on: 'file', input: (file_path) => ({ file_path }) },
  { tool: 'Grep', does: 'reads', on: 'file', input: (path, pattern) => ({ pattern, path, output_mode: 'content' }) },
  { tool: 'Grep', does: 'reads', on: 'folder', input: (path, pattern) => ({ pattern, path, output_mode: 'content' }) },
  { tool: 'Glob', does: 'reads', on: 'folder', input: (path) => ({ pattern: '*', path }) },
  {
    ...{ tool: 'Edit', does: 'writes', on: 'file' },
    input: (file_path, old_string, new_string) => ({ file_path, old_string, new_string }),
  },
  { tool: 'Write', does: 'writes', on: 'file', input: (file_path, _, content) => ({ file_path, content }) },
  {
    ...{ tool: 'MultiEdit', does: 'writes', on: 'file' },
    input: (file_path, old_string, new_string) => ({ file_path, edits: [{ old_string, new_string }] }),
  },
  {
    ...{ tool: 'ApplyPatch', does: 'writes', on: 'file' },
    input: (path, oldText, newText) => ({
      patch: createPatch(`Update File: ${path}`, '@@', `-${oldText}`, `+${newText}`),
    }),
  },
  {
    ...{ tool: 'NotebookEdit', does: 'writes', on: 'notebook' },
    input: (notebook_path, _, new_source) => ({ notebook_path, cell_id: 'one', new_source }),
  },
]

/** Creates the text of a patch with one section. */
export function createPatch(header: string, ...lines: readonly string[]): string {
  return ['*** Begin Patch', `*** ${header}`, ...lines, '*** End Patch', ''].join('\n')
}

/** Creates a notebook with one cell whose id is `one`. */
export function createNotebook(source: string): string {
  const cell = { cell_type: 'code', id: 'one', metadata: {}, execution_count: null, outputs: [], source: [source] }
  return `${JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`
}

/** The names of the files that calls use inside a folder. */
export const TARGET_NAMES = { file: 'plain.txt', notebook: 'book.ipynb', folder: '' } as const

/** Returns the path that a call names in the folder. It is not normalised, so that `..` in the folder is kept. */
export function toTargetPath(folder: string, on: FileCall['on']): string {
  return on === 'folder' ? folder : `${folder}/${TARGET_NAMES[on]}`
}
