import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'

/** The fields of `gh pr view --json` that are compared. */
export const WATCHED_FIELDS = 'state,isDraft,mergeable,reviewDecision,reviews,comments,statusCheckRollup'

const MAX_BODY_CHARS = 300
const FINAL_STATES: ReadonlySet<unknown> = new Set(['MERGED', 'CLOSED'])

type Fields = Readonly<Record<string, unknown>>

/** Finds what has changed in a pull request between two answers of gh. */
export class PullRequestChanges {
  #known: ReadonlyMap<string, string> | undefined

  /** Takes one answer of gh, a line of JSON. Returns the changes; all facts for the first answer. */
  compare(line: string): { readonly changes: readonly string[]; readonly hasEnded: boolean } {
    const answer = parseAnswer(line)
    if (answer === undefined) return { changes: line.trim() === '' ? [] : [line], hasEnded: false }
    const facts = listFacts(answer)
    const changes = [...facts].filter(([key, text]) => this.#known?.get(key) !== text).map(([, text]) => text)
    this.#known = facts
    return { changes, hasEnded: FINAL_STATES.has(answer.state) }
  }
}

function parseAnswer(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) && typeof value.state === 'string' ? value : undefined
  } catch {
    // A message of gh.
    return undefined
  }
}

/** One text for each fact about the pull request, by a key that stays the same while the fact changes. */
function listFacts(answer: Fields): ReadonlyMap<string, string> {
  const facts = new Map<string, string>([
    ['state', `state: ${answer.state}${answer.isDraft === true ? ' (draft)' : ''}`],
  ])
  if (answer.mergeable === 'CONFLICTING') facts.set('mergeable', 'it conflicts with its base branch')
  if (isName(answer.reviewDecision)) facts.set('decision', `review decision: ${answer.reviewDecision}`)
  for (const [index, check] of listRecords(answer.statusCheckRollup).entries()) {
    const name = textOf(check.name ?? check.context)
    const state = [check.conclusion, check.state, check.status].find(isName) ?? 'PENDING'
    facts.set(`check ${name} ${textOf(check.workflowName)} ${name === '' ? index : ''}`, `check ${name}: ${state}`)
  }
  for (const review of listRecords(answer.reviews))
    facts.set(`review ${textOf(review.id)}`, `review by ${authorOf(review)}: ${textOf(review.state)}${bodyOf(review)}`)
  for (const comment of listRecords(answer.comments))
    facts.set(`comment ${textOf(comment.id)}`, `comment by ${authorOf(comment)}${bodyOf(comment)}`)
  return facts
}

function listRecords(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function authorOf({ author }: Fields): string {
  return isRecord(author) && isName(author.login) ? author.login : 'a deleted user'
}

function bodyOf({ body }: Fields): string {
  const text = textOf(body).replace(/\s+/g, ' ').trim()
  return text === '' ? '' : `: ${cutText(text, MAX_BODY_CHARS)}`
}
