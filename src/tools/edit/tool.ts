import { resolve } from 'node:path'
import * as z from 'zod'
import { buildTool } from '../../contract/build-tool.js'
import { lazySchema } from '../../contract/lazy-schema.js'
import { textResult } from '../../contract/messages.js'
import { pathProblem } from '../../shared/path-problem.js'
import { decodeText } from '../../shared/text-edit/decode-text.js'
import { EDIT_STRATEGIES } from '../../shared/text-edit/plan-edit.js'
import { applyEdits } from '../apply-edits.js'
import { createFile } from '../create-file.js'
import { patchOf, remarksOf } from '../edit-outcome.js'
import { editProblem, refusal } from '../edit-problem.js'
import { changeText, drawnPath } from '../file-call-text.js'
import { openKnownFile } from '../open-known-file.js'
import { saveFile } from '../save-file.js'
import { prompt } from './prompt.js'

export const EditTool = buildTool({
  name: 'Edit',
  searchHint: 'change text in a file',
  needs: ['files'],
  description: 'Changes text in a file',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or from the working folder'),
      old_string: z.string().describe('The text to replace, as it stands in the file; empty to create a new file'),
      new_string: z.string().describe('The text to put in its place'),
      replace_all: z
        .boolean()
        .optional()
        .describe('Replace every occurrence, not just a single one; false if left out'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      filePath: z.string(),
      isNew: z.boolean(),
      strategy: z.enum(EDIT_STRATEGIES),
      count: z.number(),
      patch: z.string(),
      remarks: z.array(z.string()),
    }),
  ),

  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [file_path], writes: [file_path] }),
  checkPermissions: () => ({ behavior: 'passthrough' }),
  validateInput: ({ file_path, old_string, new_string }) =>
    refusal(pathProblem(file_path) ?? editProblem({ oldString: old_string, newString: new_string })),
  getToolUseSummary: (input) => drawnPath(input?.file_path),
  getActivityDescription: (input) => `Editing ${drawnPath(input?.file_path)}`.trim(),
  toAutoClassifierInput: ({ file_path, new_string }) => ({ file_path, new_string }),
  renderToolResultMessage: ({ patch }) => patch,
  extractSearchText: ({ patch }) => patch,

  async call({ file_path, old_string, new_string, replace_all = false }, { files, cwd, signal }) {
    const path = resolve(cwd, file_path)
    if (old_string === '') {
      const { patch, remarks } = await createFile(files, path, new_string, signal)
      return { data: { filePath: path, isNew: true, strategy: 'verbatim' as const, count: 1, patch, remarks } }
    }
    const known = await openKnownFile(files, path, signal)
    const edit = { oldString: old_string, newString: new_string, replaceAll: replace_all }
    const before = decodeText(known.content)
    const { content, changed, strategies, count } = applyEdits(path, before, [edit])
    const saved = await saveFile(
      files,
      { ...known, content, expected: { content: known.content }, former: known },
      signal,
    )
    const [strategy = 'verbatim'] = strategies
    const patch = patchOf(changed, before, saved)
    return {
      data: { filePath: path, isNew: false, strategy, count, patch, remarks: [...remarksOf(strategies, saved)] },
    }
  },

  mapToolResultToToolResultBlockParam({ filePath, isNew, count, patch, remarks }, toolUseId) {
    const places = count === 1 ? '' : ` in ${count} places`
    return textResult(
      toolUseId,
      changeText(isNew ? `Created ${filePath}.` : `Changed ${filePath}${places}.`, remarks, patch),
    )
  },
})
