import type { GrepOutput } from './schema.js'

/** Returns the text for the model: the entries, how to get the remaining ones, and what could not be searched. */
export function formatResult(output: GrepOutput): string {
  return [formatEntries(output), ...describeUnsearched(output)].join('\n\n')
}

function formatEntries(output: GrepOutput): string {
  if (output.entries === 0 && output.more === 'unknown') return 'No match was found before the search was stopped.'
  if (output.entries === 0)
    return output.offset > 0
      ? `There are no entries after the first ${output.offset}. Choose a smaller offset.`
      : describeNoMatch(output)
  const notice = describeRemaining(output)
  const text = formatText(output)
  return notice === undefined ? text : `${text}\n\n${notice}`
}

/** Returns the entries. Those of one file do not repeat its path, which the model has just sent. */
function formatText({ text, mode, file }: GrepOutput): string {
  if (file === undefined || mode === 'files' || text === `${file}: binary file matches`) return text
  const isPrefix = (line: string) => line.startsWith(file) && /[:-]/.test(line.charAt(file.length))
  return text
    .split('\n')
    .map((line) => (isPrefix(line) ? line.slice(file.length + 1) : line))
    .join('\n')
}

const MAX_LISTED_FILES = 10

function describeUnsearched({ unsearched }: GrepOutput): readonly string[] {
  if (unsearched.length === 0) return []
  const listedFiles = unsearched.slice(0, MAX_LISTED_FILES).map(({ path, reason }) => `${path}: ${reason}`)
  const unlistedCount = unsearched.length - listedFiles.length
  const lines = unlistedCount === 0 ? listedFiles : [...listedFiles, `and ${unlistedCount} more`]
  return [`[Not searched; there may be more matches in:\n${lines.join('\n')}]`]
}

function describeNoMatch({ query: { pattern, path, isNarrowed, ignoresCase } }: GrepOutput): string {
  const advice = [
    ...(isNarrowed ? ['try without glob and type'] : []),
    ...(ignoresCase ? [] : ['try with -i']),
    'try a shorter pattern',
  ]
  return `Nothing in ${path} matches ${JSON.stringify(pattern)}. Ignored and binary files were left out. If you expected a match: ${advice.join(', ')}.`
}

function describeRemaining({ mode, entries, more, offset }: GrepOutput): string | undefined {
  if (more === 0) return undefined
  const noun = mode === 'content' ? 'line' : 'file'
  const amount =
    more === 'unknown' ? `More ${noun}s follow` : more === 1 ? `1 more ${noun} follows` : `${more} more ${noun}s follow`
  return `[${amount}. Continue with offset ${offset + entries}, or narrow the search.]`
}
