import { resolve } from 'node:path'
import type { FilesPort, WrittenFile } from '../../contract/ports/files.js'
import type { PatchSection } from '../../shared/text-edit/patch/patch-section.js'
import { remarksOf } from '../edit-outcome.js'
import { editWatched, linkNotes, rememberFound, rememberWritten } from '../save-file.js'
import { pathsWritten } from './patch-paths.js'
import { type PlannedSection, planSection } from './plan-section.js'

interface Place {
  readonly files: FilesPort
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Makes all changes of a patch, or none. */
export async function applyPatch(sections: readonly PatchSection[], { files, cwd, signal }: Place) {
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
    files: sections.map((section, index) => outcome(section, planned[index], cwd)),
    remarks: [...remarks, ...laidOut],
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
