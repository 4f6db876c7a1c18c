import { parsePatch } from '../../shared/text-edit/patch/parse-patch.js'
import type { PatchSection } from '../../shared/text-edit/patch/patch-section.js'

/** Every path that a patch reads or writes; a move writes both of its ends. Throws where the patch cannot be read. */
export function patchPaths(patch: string): { readonly reads: readonly string[]; readonly writes: readonly string[] } {
  const sections = parsePatch(patch)
  return {
    reads: sections.filter(({ kind }) => kind !== 'add').map(({ path }) => path),
    writes: sections.flatMap(pathsWritten),
  }
}

export function pathsWritten(section: PatchSection): readonly string[] {
  return section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
}
