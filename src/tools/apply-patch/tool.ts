import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, code, fileLink, inline, text } from '../../contract/view-builders.js'
import { PatchSyntaxError, parsePatch } from '../../edits/patch/parse-patch.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { formatChange } from '../editing/change-text.js'
import { findOmissionProblem, toValidationResult } from '../editing/edit-input.js'
import { extractPatchText, isPatchLong, renderChange } from '../editing/edit-views.js'
import { listPatchPaths, listWrittenPaths } from './patch-paths.js'
import { prompt } from './prompt.js'

export const ApplyPatchTool = buildTool({
  name: 'ApplyPatch',
  searchHint: 'change several files by one patch',
  needs: ['files'],
  editFormat: 'patch',
  modes: { repl: 'hidden' },
  description: 'Applies a patch to files',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({ patch: z.string().min(1).describe("The patch, from '*** Begin Patch' to '*** End Patch'") }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      files: z.array(
        z.object({
          filePath: z.string(),
          kind: z.enum(['add', 'update', 'delete']),
          movedTo: z.string().optional(),
          patch: z.string(),
          differs: z.boolean().optional(),
        }),
      ),
      remarks: z.array(z.string()),
    }),
  ),

  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  isDestructive: ({ patch }) => parsePatch(patch).some(({ kind }) => kind === 'delete'),
  resources: ({ patch }) => listPatchPaths(patch),
  checkPermissions: () => ({ behavior: 'passthrough' }),
  validateInput: async ({ patch }) => toValidationResult(await findPatchProblem(patch)),
  toAutoClassifierInput: ({ patch }) => ({ patch }),

  async call({ patch }, { files, cwd, signal }) {
    const { applyPatch } = await import('./apply-patch.js')
    return { data: await applyPatch(parsePatch(patch), { files, cwd, signal }) }
  },

  mapToolResultToToolResultBlockParam({ files, remarks }, toolUseId) {
    const changes = files.map(({ filePath, kind, movedTo, patch, differs }) => {
      const target = movedTo === undefined ? '' : `, now ${movedTo}`
      return formatChange({
        summary: `${PAST_TENSE_VERBS[kind]} ${filePath}${target}`,
        patch,
        showsLines: differs === true,
      })
    })
    return textResult(toolUseId, [...changes, ...remarks].join('\n'))
  },

  getToolUseSummary: (input) => formatPaths(input?.patch),
  getActivityDescription: () => 'Applying a patch',
  renderToolUseMessage: ({ patch }) => text(formatPaths(patch), 'path'),
  renderToolUseRejectedMessage: ({ patch }) => (typeof patch === 'string' ? code(patch, { language: 'diff' }) : ''),
  renderToolResultMessage: ({ files, remarks }, _progress, options) =>
    block(
      ...files.map(({ filePath, kind, movedTo, patch }) => {
        const title = inline(`${PAST_TENSE_VERBS[kind]} `, fileLink(filePath))
        const target = movedTo === undefined ? [] : [', now ', fileLink(movedTo)]
        return block(inline(title, ...target), renderChange({ filePath, patch }, options))
      }),
      ...remarks.map((remark) => text(remark, 'muted')),
    ),
  isResultTruncated: ({ files }) => files.some(({ patch }) => isPatchLong(patch)),
  extractSearchText: ({ files }) =>
    files.map(({ filePath, patch }) => `${filePath}\n${extractPatchText(patch)}`).join('\n'),
})

const PAST_TENSE_VERBS = { add: 'Created', update: 'Changed', delete: 'Deleted' } as const

async function findPatchProblem(patch: string): Promise<string | undefined> {
  try {
    for (const section of parsePatch(patch)) {
      const invalidPath = listWrittenPaths(section)
        .map(findPathProblem)
        .find((problem) => problem !== undefined)
      if (invalidPath !== undefined) return invalidPath
      for (const { oldLines, newLines } of section.kind === 'update' ? section.chunks : []) {
        const problem = await findOmissionProblem(oldLines.join('\n'), newLines.join('\n'))
        if (problem !== undefined) return `${section.path}: ${problem}`
      }
    }
    return undefined
  } catch (error) {
    if (error instanceof PatchSyntaxError) return `${error.message} Nothing was changed.`
    throw error
  }
}

/** Lists the files that a patch names so far while it is still streaming in. */
function formatPaths(patch: unknown): string {
  if (typeof patch !== 'string') return ''
  const names = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, name]) => name)
  return names.length > 0 ? names.join(', ') : 'patch'
}
