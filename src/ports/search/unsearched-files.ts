import type { UnsearchedFile } from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import type { KeepPath } from './keep-path.js'
import type { SearchRoot } from './open-root.js'
import type { SplitComplaint } from './split-complaint.js'

/** The files that were given up, as they are told to who asked; of those left out of the search nothing is said. */
export function unsearchedFiles(
  files: SplitComplaint['files'],
  root: SearchRoot,
  keeps: KeepPath | undefined,
): readonly UnsearchedFile[] {
  return files
    .map(({ printed, said }) => ({ path: Buffer.from(printed.replace(/^\.\//, '')), said }))
    .filter(({ path }) => keeps === undefined || keeps(path))
    .map(({ path, said }) => ({ path: root.show(path), reason: reasonOf(said) }))
    .sort((a, b) => compareCodeUnits(a.path, b.path))
}

function reasonOf(said: string): string {
  return said.startsWith('PCRE2: ') ? 'the pattern takes too many steps in it' : said.replace(/ \(os error \d+\)$/, '')
}
