import type { ForeignNames } from '../../contract/tool/identity.js'
import { renameFields } from '../../shared/rename-fields.js'

type Input = Readonly<Record<string, unknown>>

const FILE_NAMES = ['file_path', 'path', 'target_file', 'filePath']

/** The tool of several models that views, creates and edits files. `command` says which. */
const EDITOR_NAMES = ['str_replace_based_edit_tool', 'str_replace_editor']

/** Tools of other agents that read a file. */
export const readNames: ForeignNames = {
  ...createEditorNames('view', convertRead),
  view: convertRead,
  read_file: convertRead,
}

/** Tools of other agents that replace text in a file. */
export const editNames: ForeignNames = {
  ...createEditorNames('str_replace', convertEdit),
  str_replace: convertEdit,
  search_replace: convertEdit,
}

/** Tools of other agents that write a whole file. */
export const writeNames: ForeignNames = {
  ...createEditorNames('create', convertWrite),
  write_file: convertWrite,
  create_file: convertWrite,
}

function createEditorNames(action: string, convert: (input: Input) => Input): ForeignNames {
  // The tool calls its action `command`, although it is not a command of a shell.
  const convertCommand = ({ command: ownAction, ...input }: Input) =>
    ownAction === action ? convert(input) : undefined
  return Object.fromEntries(EDITOR_NAMES.map((name) => [name, convertCommand]))
}

function convertRead(input: Input): Input {
  const lines = convertRange(input.view_range)
  return { ...renameFields(input, { file_path: FILE_NAMES, offset: ['offset'], limit: ['limit'] }), ...lines }
}

/** Converts `[first, last]`, where a last line of -1 means the end of the file. */
function convertRange(range: unknown): Input {
  if (!Array.isArray(range)) return {}
  const [first, last] = range
  const limit = typeof last === 'number' && last !== -1 ? { limit: last - Number(first) + 1 } : {}
  return { offset: first, ...limit }
}

function convertEdit(input: Input): Input {
  // Without a new text, the old one is removed.
  const edit = renameFields(input, {
    file_path: FILE_NAMES,
    old_string: ['old_string', 'old_str'],
    new_string: ['new_string', 'new_str'],
    replace_all: ['replace_all'],
  })
  return { new_string: '', ...edit }
}

function convertWrite(input: Input): Input {
  return renameFields(input, { file_path: FILE_NAMES, content: ['content', 'file_text', 'contents'] })
}
