import type { ToolResources } from '../../contract/resources.js'
import { type PatchSection, parsePatch } from '../../edits/patch/parse-patch.js'

/**
 * Every path that a patch reads or writes; a move writes both of its ends. Whoever adds a file reads, too, whether one
 * stands there: a rule against reading keeps that from being told. Throws where the patch cannot be read.
 */
export function patchPaths(patch: string): ToolResources {
  const paths = parsePatch(patch)
    .flatMap(pathsWritten)
    .map((path) => ({ path }))
  return { reads: paths, writes: paths }
}

export function pathsWritten(section: PatchSection): readonly string[] {
  return section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
}
