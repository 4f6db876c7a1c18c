import type { CommandAnalysis, FoundFiles } from '../../contract/command.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'

/** A pattern of the shell for names below a folder: one expression for each level. */
export type GlobNames = readonly RegExp[]

const WILDCARD = /\[[^\]]*\]|[*?]|[^\w]/g

/** Compiles a pattern such as `*.ts` or `*\/dist`. A name with a leading dot matches only if the pattern has the dot. */
export function compileGlob(pattern: string): GlobNames {
  return pattern
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      const source = segment.replace(WILDCARD, (token) =>
        token === '*' ? '.*' : token === '?' || token.startsWith('[') ? '.' : `\\${token}`,
      )
      return new RegExp(`^${segment.startsWith('.') ? '' : '(?!\\.)'}${source}$`, 'is')
    })
}

const WORDS_THAT_CHANGE_GLOBS = /^shopt$|dotglob|GLOBIGNORE|BASHOPTS|^[-+][A-Za-z]*O$/

/** Whether no part of a script changes what patterns match, as `shopt -s dotglob` and `GLOBIGNORE=x` do. */
export function hasDefaultGlobs({ commands, isUnresolved }: CommandAnalysis): boolean {
  if (isUnresolved) return false
  return !commands.some(({ words }) => words.some((word) => WORDS_THAT_CHANGE_GLOBS.test(word)))
}

const MAX_FILES = 2_000

/** Lists the entries of a folder; undefined if there are too many. */
type ListEntries = (
  folder: string,
  query: Pick<FoundFiles, 'prefix' | 'suffix' | 'isDeep'>,
) => MaybePromise<readonly string[] | undefined>

/** Lists the files that a pattern matches now; undefined if there are too many to examine. */
export async function expandGlob(
  folder: string,
  names: GlobNames,
  entries: ListEntries | undefined,
): Promise<readonly string[] | undefined> {
  if (entries === undefined) return undefined
  let folders: readonly string[] = [folder]
  for (const name of names) {
    const matches: string[] = []
    for (const parent of folders) {
      const paths = await entries(parent, { prefix: '', suffix: '', isDeep: false })
      if (paths === undefined) return undefined
      matches.push(...paths.filter((path) => name.test(path.slice(path.search(/[^\\/]*$/)))))
      if (matches.length > MAX_FILES) return undefined
    }
    folders = matches
  }
  return folders
}
