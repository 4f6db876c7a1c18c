import { resolve } from 'node:path'
import * as z from 'zod'
import { buildTool } from '../../contract/build-tool.js'
import { lazySchema } from '../../contract/lazy-schema.js'
import { textResult } from '../../contract/messages.js'
import type { FilesPort, WrittenFile } from '../../contract/ports/files.js'
import { pathProblem } from '../../shared/path-problem.js'
import { parsePatch } from '../../shared/text-edit/patch/parse-patch.js'
import { type PatchSection, PatchSyntaxError } from '../../shared/text-edit/patch/patch-section.js'
import { remarksOf } from '../edit-outcome.js'
import { omissionProblem, refusal } from '../edit-problem.js'
import { changeText } from '../file-call-text.js'
import { editWatched, linkNotes, rememberFound, rememberWritten } from '../save-file.js'
import { patchPaths, pathsWritten } from './patch-paths.js'
import { type PlannedSection, planSection } from './plan-section.js'
import { prompt } from './prompt.js'

export const ApplyPatchTool = buildTool({
  name: 'ApplyPatch',
  searchHint: 'change several files by one patch',
  needs: ['files'],
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
        }),
      ),
      remarks: z.array(z.string()),
    }),
  ),

  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  isDestructive: ({ patch }) => parsePatch(patch).some(({ kind }) => kind === 'delete'),
  resources: ({ patch }) => patchPaths(patch),
  checkPermissions: () => ({ behavior: 'passthrough' }),
  validateInput: ({ patch }) => refusal(patchProblem(patch)),
  getToolUseSummary: (input) => drawnPaths(input?.patch),
  getActivityDescription: () => 'Applying a patch',
  toAutoClassifierInput: ({ patch }) => ({ patch }),
  renderToolResultMessage: ({ files }) => files.map(({ filePath, patch }) => `${filePath}\n${patch}`.trim()).join('\n'),
  extractSearchText: ({ files }) => files.map(({ filePath, patch }) => `${filePath}\n${patch}`.trim()).join('\n'),

  async call({ patch }, { files, cwd, signal }) {
    const sections = parsePatch(patch)
    const paths = sections.flatMap(pathsWritten).map((path) => resolve(cwd, path))
    const planned: PlannedSection[] = []
    // One after the other, so that the first problem is the one that is told.
    for (const section of sections) planned.push(await planSection(section, { files, cwd, signal }))
    const write = () => files.writeAll(planned.map(({ change }) => change))
    const { result: written, report } = await editWatched(files, paths, write, signal)
    for (const [index, plan] of planned.entries()) await remember(files, plan, written[index], report.reformatted)
    const strategies = planned.flatMap((plan) => plan.strategies)
    const links = written.flatMap((file) => (file === undefined ? [] : linkNotes(file.realPath, file)))
    const remarks = remarksOf(strategies, { isReformatted: false, notes: [...links, ...report.notes] })
    const laidOut = report.reformatted.map(
      (path) => `A formatter went over ${path}: read it before you rely on how it is laid out.`,
    )
    return {
      data: {
        files: sections.map((section, index) => outcome(section, planned[index], cwd)),
        remarks: [...remarks, ...laidOut],
      },
    }
  },

  mapToolResultToToolResultBlockParam({ files, remarks }, toolUseId) {
    const changes = files.map(({ filePath, kind, movedTo, patch }) => {
      const target = movedTo === undefined ? '' : `, now ${movedTo}`
      return changeText(`${DONE[kind]} ${filePath}${target}.`, [], patch)
    })
    return textResult(toolUseId, [...changes, ...remarks].join('\n'))
  },
})

const DONE = { add: 'Created', update: 'Changed', delete: 'Deleted' } as const

function patchProblem(patch: string): string | undefined {
  try {
    for (const section of parsePatch(patch)) {
      const wrongPath = pathsWritten(section)
        .map(pathProblem)
        .find((problem) => problem !== undefined)
      if (wrongPath !== undefined) return wrongPath
      for (const { oldLines, newLines } of section.kind === 'update' ? section.chunks : []) {
        const problem = omissionProblem(oldLines.join('\n'), newLines.join('\n'))
        if (problem !== undefined) return `${section.path}: ${problem}`
      }
    }
    return undefined
  } catch (error) {
    if (error instanceof PatchSyntaxError) return `${error.message} Nothing was changed.`
    throw error
  }
}

async function remember(
  files: FilesPort,
  { known, change }: PlannedSection,
  written: WrittenFile | undefined,
  reformatted: readonly string[],
): Promise<void> {
  if (known !== undefined && known.realPath !== written?.realPath) files.readFileState.delete(known.realPath)
  if (written === undefined || change.kind === 'remove' || change.content === undefined) return
  rememberWritten(files, written, change.content, known)
  const path = change.kind === 'move' ? change.to : change.path
  if (reformatted.includes(path)) await rememberFound(files, written, change.content)
}

function outcome(section: PatchSection, planned: PlannedSection | undefined, cwd: string) {
  const movedTo = section.kind === 'update' ? section.moveTo : undefined
  return {
    filePath: resolve(cwd, section.path),
    kind: section.kind,
    patch: planned?.patch ?? '',
    ...(movedTo !== undefined && { movedTo: resolve(cwd, movedTo) }),
  }
}

/** The files of a patch that still arrives, as far as they are named. */
function drawnPaths(patch: unknown): string {
  if (typeof patch !== 'string') return ''
  const names = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, name]) => name)
  return names.length > 0 ? names.join(', ') : 'patch'
}
