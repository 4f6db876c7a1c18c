import type { SearchQuery } from '../../contract/ports/search.js'
import { nameArguments } from './glob-files.js'
import { COMMON_ARGUMENTS } from './run-ripgrep.js'

/** Bytes of a line that are shown; what is longer was hardly written by a person. */
const MAX_COLUMNS = 500

const OUTPUT: Readonly<Record<SearchQuery['output'], readonly string[]>> = {
  // Says no more than --files-with-matches, which with --null takes up to twice as long.
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

/** A query in ripgrep's words. Every path it prints ends with a zero byte. */
export function searchArguments(query: SearchQuery): readonly string[] {
  const { pattern, output, glob, type, before = 0, after = 0 } = query
  return [
    ...COMMON_ARGUMENTS,
    // A file that cannot be searched is told; what is wrong with an ignore file is nobody's question.
    '--messages',
    '--no-ignore-messages',
    '--null',
    '--color=never',
    ...OUTPUT[output],
    ...(output === 'content' && before > 0 ? [`--before-context=${before}`] : []),
    ...(output === 'content' && after > 0 ? [`--after-context=${after}`] : []),
    ...(query.ignoreCase === true ? ['--ignore-case'] : []),
    ...(query.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    ...(type === undefined ? [] : ['--type', type]),
    ...globArguments(glob, type),
    '--regexp',
    pattern,
  ]
}

/** Types add up, so that a glob beside a type can only be seen to afterwards. */
function globArguments(glob: string | undefined, type: string | undefined): readonly string[] {
  if (glob === undefined) return []
  if (glob.startsWith('!')) return ['--glob', glob]
  return type === undefined ? nameArguments(glob) : []
}
