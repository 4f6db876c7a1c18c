import { cutText } from '../../shared/cut-text.js'
import type { CallFacts } from '../facts/call-facts.js'
import type { JudgedCommand } from '../facts/judge-command.js'
import { shortenPath } from '../paths/normalise-path.js'
import { isInside } from '../paths/working-directories.js'
import type { RuleList } from '../rules/compile-rules.js'
import { hostOf } from '../rules/domain-pattern.js'
import { arePathsInside, findUncoveredParts } from '../rules/find-allowance.js'

/** Explains why a command beyond the limits of the analysis needs approval, and what to do instead. */
export function describeLargeCommand(effect = ''): string {
  return `the command is too large to be analysed${effect}: split it into smaller commands, or put it into a script file`
}

/** Explains why a call that nothing restricts needs approval. For a compound command, names the parts that need it. */
export async function describeNeed(list: RuleList, call: CallFacts): Promise<string> {
  const { command } = call
  if (command === undefined) return describeCall(call)
  if (command.analysis.isTooLarge) return describeLargeCommand()
  if (command.isUnresolved)
    return 'parts of the command are known only at run time, and no rule names the exact command'
  const uncoveredCommands = await findUncoveredParts(list, call, command)
  const texts = [...new Set(uncoveredCommands.map((judgedCommand) => describePart(judgedCommand, call)))]
  if (texts.length === 0) return describeCall(call)
  const shownTexts = texts.slice(0, MAX_PARTS)
  const omissionNote = texts.length > MAX_PARTS ? [`${texts.length - MAX_PARTS} more parts need it too`] : []
  return `${joinTexts([...shownTexts, ...omissionNote])}, and no rule allows it`
}

const MAX_PARTS = 3

function describePart(judgedCommand: JudgedCommand, { folders, lacksSandbox }: CallFacts): string {
  const name = nameOf(judgedCommand)
  const writtenPath = [...judgedCommand.redirects, ...judgedCommand.writes].find((path) => !isInside(path, folders))
  if (writtenPath !== undefined) {
    const verb = judgedCommand.deletesFiles === true ? 'would delete' : 'would write'
    return `${name} ${verb} ${shortenPath(writtenPath.originalPath)}, outside the working directories`
  }
  const outsidePath = judgedCommand.reads.find((path) => !isInside(path, folders))
  if (judgedCommand.isReadOnly && outsidePath !== undefined)
    return `${name} reads ${shortenPath(outsidePath.originalPath)}, outside the working directories`
  if (judgedCommand.isReadOnly && lacksSandbox)
    return `${name} seems to only read, but there is no sandbox to enforce that`
  const risks = judgedCommand.risks ?? []
  return risks.length === 0 ? `${name} may change things` : `${name} ${joinTexts(risks)}`
}

const MAX_NAME_CHARS = 60

/** Returns the command in quotes, shortened. */
function nameOf({ words }: JudgedCommand): string {
  const text = words.join(' ').replace(/\s+/g, ' ')
  if (text === '') return 'a redirection or expression'
  return `'${text.length > MAX_NAME_CHARS ? `${cutText(text, MAX_NAME_CHARS)}…` : text}'`
}

function describeCall(call: CallFacts): string {
  if (!arePathsInside(call)) return 'it uses paths outside the working directories'
  const host = call.tool.getWebTarget === undefined || call.page === undefined ? undefined : hostOf(call.page.url)
  if (host !== undefined) return `it ${call.isReadOnly ? 'opens or reads' : 'acts on'} a page of ${host}`
  if (!call.isReadOnly) return 'it may change something'
  return call.network ? 'it uses the network' : 'it may use files that it does not list'
}

function joinTexts(texts: readonly string[]): string {
  return texts.length === 1 ? String(texts[0]) : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}
