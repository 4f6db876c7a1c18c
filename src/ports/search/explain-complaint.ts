import type { SearchQuery } from '../../contract/ports/search.js'
import { quote } from '../../shared/quote.js'

/** What ripgrep says of a query, in the words of who asked. */
export function explainComplaint(complaint: string, { pattern, type }: SearchQuery): string {
  const said = complaint.replace(/^rg: /gm, '')
  if (/unrecognized file type/.test(said)) {
    return `There is no file type ${quote(type)}; use a glob instead, such as "*.${type}".`
  }
  if (/is not allowed in a regex/.test(said) && /multiline/.test(said)) {
    return `The pattern ${quote(pattern)} reaches over lines; set multiline to true.`
  }
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) {
    return `The pattern ${quote(pattern)} ends in a backslash that stands before nothing. For the backslash itself send two of them: ${quote(`${pattern}\\`)}.`
  }
  const [, problem] = /error: (.*)/.exec(said) ?? /PCRE2: (.*)/.exec(said) ?? []
  if (problem === undefined) return `The search failed: ${said}`
  return `The pattern ${quote(pattern)} is no valid regular expression: ${problem}. To search for the text itself, put a backslash before each of \\ . + * ? ( ) | [ ] { } ^ $.`
}
