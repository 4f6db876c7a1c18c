import { resolve } from 'node:path'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { EDIT_STRATEGIES } from '../../edits/edit-strategies.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { formatChange } from '../editing/change-text.js'
import { findEditProblem, formatPath, toValidationResult } from '../editing/edit-input.js'
import { extractPatchText, isPatchLong, renderChange, renderIntendedEdit, renderPath } from '../editing/edit-views.js'
import { editNames } from '../editing/foreign-names.js'
import { prompt } from './prompt.js'

export const EditTool = buildTool({
  name: 'Edit',
  foreignNames: editNames,
  searchHint: 'change text in a file',
  needs: ['files'],
  editFormat: 'strings',
  modes: { simple: true, repl: 'hidden' },
  description: 'Changes text in a file',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      file_path: z.string().min(1).describe('Absolute, or relative to the working directory'),
      old_string: z.string().describe('The text to replace; empty to create a file'),
      new_string: z.string().describe('The replacement text'),
      replace_all: z.boolean().optional().describe('Replace every occurrence'),
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
      differs: z.boolean().optional(),
    }),
  ),

  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [{ path: file_path }], writes: [{ path: file_path }] }),
  checkPermissions: () => ({ behavior: 'passthrough' }),
  validateInput: async ({ file_path, old_string, new_string }) =>
    toValidationResult(
      findPathProblem(file_path) ?? (await findEditProblem({ oldString: old_string, newString: new_string })),
    ),
  toAutoClassifierInput: ({ file_path, new_string }) => ({ file_path, new_string }),

  async call({ file_path, old_string, new_string, replace_all = false }, { files, cwd, signal }) {
    const { editTextFile } = await import('../editing/edit-text-file.js')
    const filePath = resolve(cwd, file_path)
    const edit = { oldString: old_string, newString: new_string, replaceAll: replace_all }
    const { isNew, strategies, count, patch, remarks, differs } = await editTextFile(files, filePath, [edit], signal)
    const [strategy = 'verbatim'] = strategies
    return { data: { filePath, isNew, strategy, count: isNew ? 1 : count, patch, remarks: [...remarks], differs } }
  },

  mapToolResultToToolResultBlockParam({ filePath, isNew, count, patch, remarks, differs = false }, toolUseId) {
    const placesText = count === 1 ? '' : ` in ${count} places`
    const summary = isNew ? `Created ${filePath}` : `Changed ${filePath}${placesText}`
    return textResult(toolUseId, formatChange({ summary, patch, remarks, showsLines: differs }))
  },

  getToolUseSummary: (input) => formatPath(input?.file_path),
  getActivityDescription: (input) => `Editing ${formatPath(input?.file_path)}`.trim(),
  renderToolUseMessage: ({ file_path }) => renderPath(file_path),
  renderToolUseRejectedMessage: (input) => renderIntendedEdit(input.file_path, [input]),
  renderToolResultMessage: (output, _progress, options) => renderChange(output, options),
  isResultTruncated: ({ patch }) => isPatchLong(patch),
  extractSearchText: ({ patch }) => extractPatchText(patch),
})
