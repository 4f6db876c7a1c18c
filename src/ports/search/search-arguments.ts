import type { SearchQuery } from '../../contract/ports/search.js'
import { createNameArguments } from './glob-files.js'
import { COMMON_ARGUMENTS } from './run-ripgrep.js'

/** How many bytes of a line are shown. Longer lines are usually generated. */
const MAX_COLUMNS = 500

const OUTPUT_ARGUMENTS: Readonly<Record<SearchQuery['output'], readonly string[]>> = {
  // Equivalent to --files-with-matches, which together with --null takes up to twice as long.
  files: ['--count', '--max-count=1', '--with-filename'],
  count: ['--count', '--with-filename'],
  content: [
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--no-context-separator',
    `--max-columns=${MAX_COLUMNS}`,
    '--max-columns-preview',
  ],
}

/** Returns the arguments of ripgrep for a query. Every printed path ends with a NUL byte. */
export function createSearchArguments(query: SearchQuery): readonly string[] {
  const { pattern, output, glob, type, before = 0, after = 0 } = query
  return [
    ...COMMON_ARGUMENTS,
    // Unreadable files are reported, but problems in ignore files are not.
    '--messages',
    '--no-ignore-messages',
    '--null',
    '--color=never',
    ...OUTPUT_ARGUMENTS[output],
    ...(output === 'content' && before > 0 ? [`--before-context=${before}`] : []),
    ...(output === 'content' && after > 0 ? [`--after-context=${after}`] : []),
    ...(query.ignoreCase === true ? ['--ignore-case'] : []),
    ...(query.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    ...(type === undefined ? [] : ['--type', type]),
    ...createGlobArguments(glob, type),
    '--regexp',
    pattern,
  ]
}

/** ripgrep combines file types with OR, so a glob in addition to a type must be applied to the result. */
function createGlobArguments(glob: string | undefined, type: string | undefined): readonly string[] {
  if (glob === undefined) return []
  if (glob.startsWith('!')) return ['--glob', glob]
  return type === undefined ? createNameArguments(glob) : []
}
