import type { ToolResources } from '../../contract/resources.js'
import { type PatchSection, parsePatch } from '../../edits/patch/parse-patch.js'

/**
 * Returns every path that a patch reads or writes. A move writes both of its paths. Adding a file also reads it, because the
 * result reveals whether it exists. Throws if the patch has a syntax error.
 */
export function listPatchPaths(patch: string): ToolResources {
  const paths = parsePatch(patch)
    .flatMap(listWrittenPaths)
    .map((path) => ({ path }))
  return { reads: paths, writes: paths }
}

export function listWrittenPaths(section: PatchSection): readonly string[] {
  return section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
}
