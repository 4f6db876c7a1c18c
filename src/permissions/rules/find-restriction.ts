import { getCapabilities, mayNameFiles, runsCommands } from '../../contract/tool/capabilities.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { type Certainty, commandsMayMatch } from '../../shell/patterns/match-command.js'
import { type CallFacts, hasUnknownFile } from '../facts/call-facts.js'
import { matcherOf } from '../facts/call-matcher.js'
import type { CallCommand } from '../facts/judge-command.js'
import { type EntryQuery, type JudgedPath, toSlashes } from '../paths/judge-path.js'
import { type BareRule, type ContentRule, findBareRule, type RuleList } from './compile-rules.js'
import { domainMayMatch } from './domain-pattern.js'
import { createRestrictingTest, matchGlobNames, matchJudgedPath } from './match-path.js'
import type { PathPattern } from './path-pattern.js'

/** A deny or ask rule that matches a call, or may match it. */
export interface Restriction {
  readonly rule: BareRule
  readonly certainty: 'yes' | 'maybe'
}

/** Returns the first rule of a deny or ask list that matches the call, otherwise the first that may match it. */
export async function findRestriction(list: RuleList, call: CallFacts): Promise<Restriction | undefined> {
  if (list.isEmpty) return undefined
  const bareRule = findBareRule(list, call.names) ?? findBareRule(list, familiesOf(call))
  if (bareRule !== undefined) return { rule: bareRule, certainty: 'yes' }
  const checks = list.contentRules.size === 0 ? [] : createContentChecks(list, call)
  const possibleRule = findBareRule(list, listPossibleBareFamilies(call))
  const possibleRestriction: Restriction | undefined = possibleRule && { rule: possibleRule, certainty: 'maybe' }
  if (checks.length === 0) return possibleRestriction
  const foundMatch = await findFirstMatch(checks)
  return foundMatch?.certainty === 'yes' ? foundMatch : (possibleRestriction ?? foundMatch)
}

async function findFirstMatch(
  checks: readonly { rule: ContentRule; check: Check }[],
): Promise<Restriction | undefined> {
  let possibleRestriction: Restriction | undefined
  for (const { rule, check } of checks) {
    const certainty = await check(rule)
    if (certainty === 'yes') return { rule, certainty }
    if (certainty === 'maybe') possibleRestriction ??= { rule, certainty }
  }
  return possibleRestriction
}

function familiesOf(call: CallFacts): readonly string[] {
  const families: string[] = []
  if (call.command !== undefined) families.push(RULE_FAMILIES.commands)
  if (call.writes.length > 0) families.push(RULE_FAMILIES.writes)
  if (call.reads.length > 0) families.push(RULE_FAMILIES.reads)
  return families
}

/** Returns the rule families that a call may belong to if it is unknown which files it uses. */
function listPossibleFamilies({ areFilesUnknown, command, isReadOnly }: CallFacts): readonly string[] {
  if (!areFilesUnknown) return []
  const mayWrite =
    command === undefined || command.isUnresolved
      ? !isReadOnly
      : command.commands.some((simpleCommand) => !simpleCommand.isReadOnly && hasUnknownFile(simpleCommand))
  return mayWrite ? [RULE_FAMILIES.reads, RULE_FAMILIES.writes] : [RULE_FAMILIES.reads]
}

/** Returns the families whose rules without content may apply: a program that no table describes may use any file. */
function listPossibleBareFamilies(call: CallFacts): readonly string[] {
  const opaqueCommands = call.command?.commands.filter(({ possible }) => possible !== undefined) ?? []
  if (opaqueCommands.length === 0) return listPossibleFamilies(call)
  const mayWrite = opaqueCommands.some(({ isReadOnly, possible }) => !isReadOnly && possible?.onlyReads !== true)
  return mayWrite || !call.isReadOnly ? [RULE_FAMILIES.reads, RULE_FAMILIES.writes] : [RULE_FAMILIES.reads]
}

type Check = (rule: ContentRule) => Promise<Certainty>

/** Returns the rules with content that could match the call, each with the check that decides. */
function createContentChecks(list: RuleList, call: CallFacts): readonly { rule: ContentRule; check: Check }[] {
  const ownNames = new Set(call.names)
  const { commands, reads, writes } = RULE_FAMILIES
  const createChecksFor = (name: string, check: Check) =>
    (list.contentRules.get(name) ?? []).map((rule) => ({ rule, check }))
  return [
    ...[...ownNames].flatMap((name) => createChecksFor(name, (rule) => matchOwnContent(rule, call))),
    ...(call.command === undefined || ownNames.has(commands)
      ? []
      : createChecksFor(commands, async (rule) => matchCommands(rule, call.command))),
    ...createFamilyChecks(reads, call.reads, call.possibleReads),
    ...createFamilyChecks(writes, call.writes, call.possibleWrites),
  ]

  function createFamilyChecks(family: string, paths: readonly JudgedPath[], possiblePaths: readonly JudgedPath[]) {
    const isPossible = listPossibleFamilies(call).includes(family)
    if (paths.length + possiblePaths.length === 0 && !isPossible) return []
    const minimumCertainty = isPossible && !omitsDeniedFiles(call) ? 'maybe' : 'no'
    return createChecksFor(family, async (rule) => {
      const answer = strongestOf([await matchPaths(rule, paths, call), minimumCertainty])
      if (answer !== 'no') return answer
      return (await matchPaths(rule, possiblePaths, call)) === 'no' ? 'no' : 'maybe'
    })
  }
}

async function matchOwnContent(rule: ContentRule, call: CallFacts): Promise<Certainty> {
  const answers = [
    judgeIncomparable(rule, call),
    matchCommands(rule, call.command),
    rule.domain !== undefined && call.page !== undefined ? domainMayMatch(rule.domain, call.page) : 'no',
    call.command === undefined ? await matchPaths(rule, [...call.reads, ...call.writes], call) : 'no',
    await matchByTool(rule, call),
  ] as const
  return strongestOf(answers)
}

/**
 * Whether a rule applies because its content can be compared with nothing in the call. A rule that would never match counts
 * for the whole tool: otherwise a restriction would be lost without notice.
 */
function judgeIncomparable({ domain }: ContentRule, { tool, command, page, reads, writes }: CallFacts): Certainty {
  const hasPage = domain !== undefined && (page !== undefined || tool.getWebTarget !== undefined)
  if (command !== undefined || hasPage || runsCommands(getCapabilities(tool))) return 'no'
  if (tool.preparePermissionMatcher !== undefined || tool.getPath !== undefined) return 'no'
  if (reads.length + writes.length > 0) return 'no'
  // The tool may state paths in other calls, so the content may be meant for these.
  return tool.resources !== undefined && mayNameFiles(tool) ? 'maybe' : 'yes'
}

async function matchByTool({ content, domain }: ContentRule, call: CallFacts): Promise<Certainty> {
  const matcher = await matcherOf(call)
  // If the tool declares nothing about the call and has no matcher, the content may name a file.
  if (matcher === undefined)
    return areFilesUnstated(call) && !(domain !== undefined && call.page !== undefined) ? 'maybe' : 'no'
  const answer = matcher(content)
  return answer === true ? 'yes' : answer === false ? 'no' : 'maybe'
}

function areFilesUnstated(call: CallFacts): boolean {
  return call.areFilesUnknown && call.command === undefined && !omitsDeniedFiles(call)
}

function omitsDeniedFiles({ skipsDeniedFiles, writes }: CallFacts): boolean {
  return skipsDeniedFiles && writes.length === 0
}

function matchCommands({ command }: ContentRule, call: CallCommand | undefined): Certainty {
  if (call === undefined) return 'no'
  if (command.kind === 'any') return 'yes'
  const answer = commandsMayMatch(command, call.commands)
  return answer === 'no' && call.isUnresolved ? 'maybe' : answer
}

async function matchPaths(
  { path: pattern }: ContentRule,
  paths: readonly JudgedPath[],
  call: CallFacts,
): Promise<Certainty> {
  // A malformed path counts as a possible match for any path, so that a badly written rule cannot be bypassed.
  if (pattern === undefined) return paths.length === 0 ? 'no' : 'maybe'
  const answer = strongestOf(await Promise.all(paths.map((path) => matchPath(pattern, path, call))))
  return answer === 'maybe' && omitsDeniedFiles(call) ? 'no' : answer
}

/** Whether a rule matches a path. Lists the entries of a folder that may contain a matching file. */
async function matchPath(pattern: PathPattern, path: JudgedPath, call: CallFacts): Promise<Certainty> {
  const answer = await matchJudgedPath(pattern, path, call)
  if (answer !== 'maybe') return answer
  // A list of names shows no content, so files that only it may contain are not restricted.
  if (path.isNameOnly === true || (path.isSourceFolder === true && namesSkippedFolder(pattern))) return 'no'
  if (path.globs !== undefined)
    return (await matchGlobNames(pattern, path, call)) ?? (path.mayMatchMore === true ? 'maybe' : 'no')
  // A rule for a certain path applies whether or not its file exists now.
  if (pattern.literalNames.length > 0) return 'maybe'
  if (path.contents === undefined) return path.mayBeTree === true ? 'no' : 'maybe'
  return (await containsRestricted(pattern, path, path.contents, call)) ? 'maybe' : 'no'
}

/** Whether a folder now contains a file that a rule covers, or too many files to examine. */
async function containsRestricted(
  pattern: PathPattern,
  { forms, isCaseInsensitive }: JudgedPath,
  queries: readonly EntryQuery[],
  call: CallFacts,
): Promise<boolean> {
  if (call.entries === undefined) return true
  const isRestricted = await createRestrictingTest(pattern, isCaseInsensitive, call)
  for (const form of forms) {
    for (const query of queries) {
      const entries = await call.entries(form, query)
      if (entries === undefined || entries.some((entry) => isRestricted(toSlashes(entry, call.pathContext))))
        return true
    }
  }
  return false
}

/** Whether a rule names a folder that linters and formatters skip. */
function namesSkippedFolder({ literalNames }: PathPattern): boolean {
  return literalNames.some((name) => name === '.git' || name === 'node_modules')
}

function strongestOf(answers: readonly Certainty[]): Certainty {
  if (answers.includes('yes')) return 'yes'
  return answers.includes('maybe') ? 'maybe' : 'no'
}
